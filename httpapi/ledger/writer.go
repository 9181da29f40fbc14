package ledger

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"safe-exec/httpapi/observe"
)

// maxBatch bounds what one write holds.
const maxBatch = 256

// writer is what the one goroutine that writes knows.
type writer struct {
	*Ledger
	file  *os.File // nil while nothing can be written
	size  int64
	holds bool      // it holds a run's begin or end
	list  []segment // all files; the last is the one that is written
	last  Point
	lines []byte // not written yet

	dirty   bool       // something is not on the disk
	syncing chan error // of the sync that is under way; nil for none

	failure error
	backlog []entry
	running running // that have begun here
	opened  bool    // Open has succeeded: what is opened from now on is opened again
	lost    uint64  // not yet told by a record
}

func (w *writer) work() {
	defer close(w.closed)
	defer w.lock.Close()
	due := time.NewTimer(time.Hour)
	defer due.Stop()
	armed := false
	for {
		if wait := w.pause(); wait > 0 && !armed {
			due.Reset(wait)
			armed = true
		}
		select {
		case e := <-w.in:
			w.batch(e)
		case <-due.C:
			armed = false
			if w.file == nil {
				w.reopen()
			} else {
				w.startSync()
			}
		case err := <-w.syncing:
			w.synced(err)
		case <-w.closing:
			w.err = w.close()
			return
		}
		w.tell()
	}
}

// pause is how long until something is due; 0 for nothing.
func (w *writer) pause() time.Duration {
	switch {
	case w.file == nil:
		return retryEvery
	case w.dirty && w.syncing == nil:
		return w.cfg.SyncEvery
	}
	return 0
}

// batch writes an entry and all that wait behind it at once.
func (w *writer) batch(first entry) {
	entries := []entry{first}
	for more := true; more && len(entries) < maxBatch; {
		select {
		case e := <-w.in:
			entries = append(entries, e)
		default:
			more = false
		}
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool {
		tooMany := e.begun != nil && len(w.running)+maxBatch > maxRunning
		if tooMany {
			e.reply <- fmt.Errorf("ledger: more than %d runs have begun and not ended", maxRunning-maxBatch)
		}
		return tooMany
	})
	err := w.failure
	if w.file != nil {
		err = w.write(entries)
	}
	if err != nil {
		w.keep(entries)
		err = fmt.Errorf("ledger: not written, kept in memory: %w", err)
	}
	for _, e := range entries {
		e.reply <- err
	}
}

// write puts the entries into the file, and into each entry where it stands. If it
// fails, some of them may stand there all the same: see reopen.
func (w *writer) write(entries []entry) error {
	for i := range entries {
		e := &entries[i]
		r := e.record()
		if err := w.add(r); err != nil {
			return w.fail(err)
		}
		e.at = Point{r.Seq, r.Hash}
		w.note(*e)
	}
	if err := w.flush(); err != nil {
		return w.fail(err)
	}
	w.count(len(entries))
	return nil
}

// note says what runs after the entry.
func (w *writer) note(e entry) {
	switch {
	case e.begun != nil:
		*e.begin = observe.Begin(e.at)
		w.running[e.at.Seq] = begun{e.at, e.time, *e.begun, e.begin}
	case e.begin != nil:
		delete(w.running, e.begin.Seq)
	}
}

// add puts the begin or end of a run behind the last record, in a new file where this
// one is full.
func (w *writer) add(r *Record) error {
	line, err := w.seal(r)
	if err != nil {
		return err
	}
	if w.size+int64(len(w.lines)+len(line)) > w.cfg.MaxBytes && w.holds {
		if err := w.rotate(); err != nil {
			return err
		}
		if line, err = w.seal(r); err != nil { // other records may have come between
			return err
		}
	}
	w.take(r, line)
	w.holds = true
	return nil
}

// put puts any other record behind the last one, in this file.
func (w *writer) put(r *Record) error {
	line, err := w.seal(r)
	if err == nil {
		w.take(r, line)
	}
	return err
}

func (w *writer) seal(r *Record) ([]byte, error) {
	r.Seq, r.Prev = w.last.Seq+1, w.last.Hash
	return seal(r)
}

func (w *writer) take(r *Record, line []byte) {
	w.lines = append(w.lines, line...)
	w.last = Point{r.Seq, r.Hash}
}

// flush writes the lines. A write that fails may leave a part of a line.
func (w *writer) flush() error {
	if len(w.lines) == 0 {
		return nil
	}
	n, err := w.file.Write(w.lines)
	w.size += int64(n)
	w.lines, w.dirty = w.lines[:0], true
	return err
}

// startSync brings to the disk what has been written up to now, while more is
// written, and then moves the head.
func (w *writer) startSync() {
	if w.syncing != nil || !w.dirty {
		return
	}
	w.dirty = false
	done := make(chan error, 1)
	w.syncing = done
	file, at := w.file, w.last
	go func() { done <- syncTo(w.cfg.Dir, file, head{Point: at}) }()
}

func (w *writer) synced(err error) {
	w.syncing = nil
	if err != nil {
		_ = w.fail(err) // told by fail
	}
}

// await ends a sync that is under way.
func (w *writer) await() error {
	if w.syncing == nil {
		return nil
	}
	err := <-w.syncing
	w.syncing = nil
	return err
}

// sync does all of that and waits.
func (w *writer) sync(closed bool) error {
	err := w.await()
	w.dirty = false
	return errors.Join(err, syncTo(w.cfg.Dir, w.file, head{w.last, closed}))
}

func syncTo(dir string, file *os.File, h head) error {
	if err := syscall.Fdatasync(int(file.Fd())); err != nil {
		return os.NewSyscallError("fdatasync", err)
	}
	return h.write(dir)
}

func (w *writer) close() error {
	if w.file == nil {
		w.reopen()
	}
	if w.file == nil {
		return fmt.Errorf("ledger: close with %d records unwritten: %w", len(w.backlog), w.failure)
	}
	err := w.sync(true)
	return errors.Join(err, w.file.Close())
}
