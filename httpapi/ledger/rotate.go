package ledger

import (
	"os"
	"path/filepath"
	"time"
)

// rotate ends the file and begins the next one, which is named after the record that
// comes now.
func (w *writer) rotate() error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.sync(false); err != nil {
		return err
	}
	next := segmentFor(w.last.Seq + 1)
	f, err := create(w.cfg.Dir, next)
	if err != nil {
		return err
	}
	w.file.Close() // all of it is on the disk
	w.file, w.size, w.holds, w.list = f, 0, false, append(w.list, next)
	if err := w.carry(); err != nil {
		return err
	}
	w.cfg.Logger.Info("audit ledger goes on in a new file", "file", next.name, "seq", w.last.Seq, "hash", w.last.Hash)
	for len(w.list) > w.cfg.Keep {
		if err := w.drop(); err != nil {
			return err
		}
	}
	return nil
}

// drop removes the oldest file. That it did is a record, on the disk before the file
// is gone: retention is told from a gap by it.
func (w *writer) drop() error {
	through, err := firstPoint(w.cfg.Dir, w.list[1])
	if err != nil {
		return err
	}
	if err := w.put(&Record{Time: time.Now().UTC(), Kind: kindDropped, Dropped: &through}); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.sync(false); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(w.cfg.Dir, w.list[0].name)); err != nil {
		return err
	}
	w.list = w.list[1:]
	return nil
}
