package nsjail

// undo is a list of what must be taken back, last first. It grows with each
// acquisition; run is called exactly once, on every path.
type undo []func()

func (u *undo) add(f func()) { *u = append(*u, f) }

func (u *undo) run() {
	for i := len(*u) - 1; i >= 0; i-- {
		(*u)[i]()
	}
	*u = nil
}
