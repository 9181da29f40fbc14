package nsjail

import (
	"sync"
	"time"
)

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

// backlog bounds how many jails end off their callers' paths. The kernel takes
// about a millisecond for one's namespaces and groups; whoever makes more than
// it keeps up with waits for his own.
const backlog = 32

// settle is how long a jail is left lying, so that its end does not take the
// processors from the answer that is on its way.
const settle = time.Millisecond

// endings are the jails that end off their callers' paths. The zero value is not
// ready for use.
type endings struct {
	places chan struct{}
	all    sync.WaitGroup
}

func newEndings() *endings { return &endings{places: make(chan struct{}, backlog)} }

// end undoes a jail, now or soon.
func (e *endings) end(j *jail) {
	select {
	case e.places <- struct{}{}:
	default:
		j.undo.run()
		return
	}
	e.all.Go(func() {
		time.Sleep(settle)
		j.undo.run()
		<-e.places
	})
}

// wait returns when all that have begun are done.
func (e *endings) wait() { e.all.Wait() }
