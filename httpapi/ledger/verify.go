package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Summary is what a ledger that holds together consists of.
type Summary struct {
	Records uint64
	Files   int
	First   uint64 // the oldest record's sequence number
	Last    Point
	Starts  uint64 // how often a daemon began to write
	// BeyondHead counts records that the head does not cover: of a daemon that runs,
	// or that was killed. Unfinished is the size in bytes of a line that such a daemon
	// did not finish.
	BeyondHead uint64
	Unfinished int
	// Lost counts runs that have no record, as the ledger itself says.
	Lost uint64
	// Runs counts those that ended or are open; Open those that have begun and not
	// ended, which is what a killed daemon leaves until the next one starts; CutOff
	// those that the end of a daemon ended.
	Runs, Open, CutOff uint64
}

// Verify reads the whole ledger in dir, which a daemon may be writing. It gives a
// *Broken for the first place where it does not hold together, and other errors
// where it cannot tell. An anchor is a point that was noted down elsewhere and must
// be on the chain; nil for none. Visit gets the records in their order, those before
// a break too; it may be nil.
func Verify(dir string, anchor *Point, visit func(Record)) (Summary, error) {
	h, err := readHead(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if list, listErr := segments(dir); listErr != nil || len(list) == 0 {
			return Summary{}, fmt.Errorf("there is no ledger in %s", dir)
		}
		return Summary{}, &Broken{headName, 0, Truncated, "the file is missing"}
	} else if err != nil {
		return Summary{}, err
	}
	// The head is read first, so that it cannot lead what is read after it. Retention
	// may take the oldest file away meanwhile.
	for range 3 {
		summary, err := verify(dir, h, anchor, visit)
		now, headErr := readHead(dir)
		if err == nil || headErr != nil || now == h && !errors.Is(err, fs.ErrNotExist) {
			return summary, err
		}
		h = now
	}
	return verify(dir, h, anchor, visit)
}

func verify(dir string, h head, anchor *Point, visit func(Record)) (Summary, error) {
	list, err := segments(dir)
	if err != nil {
		return Summary{}, err
	}
	c := &chain{head: h, anchor: anchor, visit: visit}
	if err := c.files(dir, list); err != nil {
		return Summary{}, err
	}
	if err := c.ends(list); err != nil {
		return Summary{}, err
	}
	summary := Summary{
		Records: c.records, Files: len(list), First: c.from.Seq + 1, Last: c.last, Starts: c.opened,
		BeyondHead: c.last.Seq - h.Seq, Lost: c.lost,
		Runs: c.runs + uint64(len(c.running)), Open: uint64(len(c.running)), CutOff: c.cut,
	}
	if c.tear != nil {
		summary.Unfinished = c.tear.size
	}
	return summary, nil
}

func (c *chain) files(dir string, list []segment) error {
	c.list = list
	for i, s := range list {
		f, err := openRegular(filepath.Join(dir, s.name))
		if err != nil {
			return err
		}
		err = c.read(s, f, i == len(list)-1)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// ends compares both ends of the chain with what is known of them.
func (c *chain) ends(list []segment) error {
	if err := c.tail(list); err != nil {
		return err
	}
	switch {
	case c.begun && c.from.Seq > 0 && !c.dropped:
		return &Broken{list[0].name, 1, Gap, "before it " + missingText(1, c.from.Seq) + ", and no record says that they were dropped"}
	case c.anchor != nil && c.anchor.Seq <= c.from.Seq:
		return fmt.Errorf("the anchor's record, seq %d, was dropped: the ledger begins with %d", c.anchor.Seq, c.from.Seq+1)
	}
	return nil
}

// tail compares the end of the chain with the head and the anchor.
func (c *chain) tail(list []segment) error {
	last := headName
	if len(list) > 0 {
		last = list[len(list)-1].name
	}
	switch {
	case c.last.Seq < c.head.Seq:
		return &Broken{last, 0, Truncated, missingText(c.last.Seq+1, c.head.Seq) + " at the end"}
	case c.anchor != nil && c.last.Seq < c.anchor.Seq:
		return &Broken{last, 0, Truncated, missingText(c.last.Seq+1, c.anchor.Seq) + " at the end"}
	case c.head.Closed && (c.last.Seq > c.head.Seq || c.tear != nil || c.open):
		return &Broken{last, 0, Forged, fmt.Sprintf("the ledger was closed at seq %d, and more follows", c.head.Seq)}
	}
	return nil
}
