package ledger

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// open finds the end of what is there, and puts a record behind it that says how it
// was found.
func (w *writer) open() (err error) {
	list, err := segments(w.cfg.Dir)
	if err != nil {
		return err
	}
	h, err := readHead(w.cfg.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(list) > 0:
		return &Broken{headName, 0, Truncated, "the file is missing"}
	case errors.Is(err, fs.ErrNotExist):
		h = head{Point: Point{0, origin}}
		if err := h.write(w.cfg.Dir); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	found, err := endOf(w.cfg.Dir, list, h, w.oldest(h.Seq), w.settle)
	if err != nil {
		return err
	}
	w.list, w.last = list, found.last
	if err := w.openLast(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			w.file.Close()
			w.file, w.lines, w.dirty = nil, nil, false
		}
	}()
	// What the last daemon left is on the disk, and the head no longer closed, before
	// more is put behind it. The head stays where it was until the runs that the file
	// around it has open are ended, or carried on.
	if err := syncTo(w.cfg.Dir, w.file, head{Point: h.Point}); err != nil {
		return err
	}
	return w.begin(found, h)
}

// begin writes the record that a daemon begins with.
func (w *writer) begin(found *chain, h head) error {
	r := &Record{Time: time.Now().UTC(), Kind: kindOpened, Opened: &Opened{
		Version: clip(w.cfg.Version), Kernel: clip(w.cfg.Kernel), BeyondHead: found.last.Seq - h.Seq, Lost: w.lost,
	}}
	w.lines = nil
	if found.tear != nil {
		torn := found.tear.torn()
		r.Opened.Torn = &torn
	}
	if found.open {
		w.lines = []byte{'\n'}
	}
	if err := w.put(r); err != nil {
		return err
	}
	if err := w.resume(found.running); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.sync(false); err != nil {
		return err
	}
	w.lost = 0
	return nil
}

// openLast opens the file to write, or makes the first one.
func (w *writer) openLast() error {
	if len(w.list) == 0 {
		first := segmentFor(1)
		f, err := create(w.cfg.Dir, first)
		if err != nil {
			return err
		}
		w.list, w.file, w.size, w.holds = []segment{first}, f, 0, false
		return nil
	}
	f, err := os.OpenFile(filepath.Join(w.cfg.Dir, w.list[len(w.list)-1].name), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	w.file, w.size, w.holds = f, info.Size(), info.Size() > 0
	return nil
}

// endOf reads the chain from the file on that holds the record seq, which the head
// points to or one before it: what is before that file is on the disk, and Verify's
// business.
func endOf(dir string, list []segment, h head, seq uint64, visit func(Record)) (*chain, error) {
	from := 0
	for i, s := range list {
		if s.first <= seq {
			from = i
		}
	}
	c := &chain{head: h, last: Point{0, origin}, visit: visit}
	if from < len(list) && list[from].first > 1 {
		c.last = Point{list[from].first - 1, ""} // known when its first line is read
	}
	if err := c.files(dir, list[from:]); err != nil {
		return nil, err
	}
	if err := c.tail(list); err != nil {
		return nil, err
	}
	return c, nil
}

// firstPoint is what the file's first record stands behind.
func firstPoint(dir string, s segment) (Point, error) {
	f, err := openRegular(filepath.Join(dir, s.name))
	if err != nil {
		return Point{}, err
	}
	defer f.Close()
	text := make([]byte, MaxLine)
	n, err := f.Read(text)
	if err != nil {
		return Point{}, err
	}
	line, _, _ := bytes.Cut(text[:n], []byte("\n"))
	r, err := unseal(line)
	if err != nil {
		return Point{}, &Broken{s.name, 1, Edited, err.Error()}
	}
	return Point{r.Seq - 1, r.Prev}, nil
}
