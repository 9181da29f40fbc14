package ledger

import "slices"

// fail stops writing until reopen succeeds: what the file ends in is not known any
// more, and to open it anew finds that out.
func (w *writer) fail(err error) error {
	_ = w.await() // what it says is no news now
	if w.file != nil {
		w.file.Close()
	}
	w.file, w.dirty, w.lines, w.failure = nil, false, nil, err
	w.cfg.Logger.Error("audit ledger cannot be written", "error", err)
	return err
}

// keep puts ends into memory until they can be written. A begin that was refused runs
// no more, wherever it may stand.
func (w *writer) keep(entries []entry) {
	for _, e := range entries {
		if e.begun != nil {
			if w.cfg.Required {
				delete(w.running, e.at.Seq)
			}
			continue
		}
		if len(w.backlog) == maxBacklog {
			w.lost++
			w.mu.Lock()
			w.stats.Lost++
			w.mu.Unlock()
			continue
		}
		w.backlog = append(w.backlog, e)
	}
}

// reopen tries to go on, and writes what waits.
func (w *writer) reopen() {
	waited := len(w.backlog)
	if err := w.open(); err != nil {
		w.failure = err
		return
	}
	if err := w.write(w.backlog); err != nil {
		return
	}
	w.cfg.Logger.Info("audit ledger is written again", "records", waited)
	w.backlog, w.failure = nil, nil
}

// settle takes out of the memory what a write that failed has written all the same.
func (w *writer) settle(r Record) {
	before := len(w.backlog)
	w.backlog = slices.DeleteFunc(w.backlog, func(e entry) bool { return e.at == Point{r.Seq, r.Hash} })
	w.count(before - len(w.backlog))
}

// oldest is the first record that settle must see, or seq where that is before it.
func (w *writer) oldest(seq uint64) uint64 {
	for _, e := range w.backlog {
		if e.at.Seq > 0 {
			seq = min(seq, e.at.Seq)
		}
	}
	return seq
}

func (w *writer) count(written int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.Records += uint64(written)
}

// tell shows to others how it stands.
func (w *writer) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.Waiting, w.stats.Last, w.stats.Err = len(w.backlog), w.last, w.failure
}
