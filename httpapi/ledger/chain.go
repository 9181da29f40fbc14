package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
)

// chain reads lines in their order and finds the first that does not fit.
type chain struct {
	head   head   // where the chain ends at least
	anchor *Point // a point that the chain must go through
	visit  func(Record)
	list   []segment // all files
	in     *bufio.Reader

	begun   bool  // one record has been read
	last    Point // the last good record
	from    Point // what the first record stands behind
	records uint64
	opened  uint64 // records of kind opened
	lost    uint64 // runs that the ledger says it has no record of
	runs    uint64 // that ended
	cut     uint64 // that the daemon's end cut off
	running running
	dropped bool  // a record says that what is before the first was dropped
	tear    *tear // what stands behind the last good record and is none
	// open says that the last line lacks its newline.
	open bool
}

// read takes one file. only the last file may have an end without a newline.
func (c *chain) read(s segment, r io.Reader, isLast bool) error {
	if c.begun && s.first != c.last.Seq+1 {
		return c.misplaced(s)
	}
	if c.in == nil {
		c.in = bufio.NewReaderSize(nothing{}, MaxLine)
	}
	in := c.in
	in.Reset(r)
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			return c.end(s, n, line, isLast)
		case errors.Is(err, bufio.ErrBufferFull):
			return &Broken{s.name, n, Edited, fmt.Sprintf("a line of more than %d bytes", MaxLine)}
		case err != nil:
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := c.line(s, n, line[:len(line)-1], in); err != nil {
			return err
		}
	}
}

// line takes one that ends in a newline; rest is what follows in the file.
func (c *chain) line(s segment, n int, text []byte, rest *bufio.Reader) error {
	r, err := unseal(text)
	if err != nil {
		c.tear = c.tear.add(n, text, err)
		return nil
	}
	explained := r.Opened != nil && r.Opened.Torn != nil
	if c.tear != nil && (!explained || *r.Opened.Torn != c.tear.torn()) {
		return c.unexplained(s)
	} else if c.tear == nil && explained {
		return &Broken{s.name, n, Edited, "the unfinished line before it is missing"}
	}
	if broken := c.place(s, n, r, rest); broken != nil {
		return broken
	}
	c.tear = nil
	return c.take(s, n, r)
}

// place says whether the record may stand where it does.
func (c *chain) place(s segment, n int, r Record, rest *bufio.Reader) error {
	if !c.begun {
		if r.Seq != s.first {
			return &Broken{s.name, n, Reordered, fmt.Sprintf("the file is named after seq %d and begins with %d", s.first, r.Seq)}
		}
		if (r.Seq == 1) != (r.Prev == origin) || r.Seq == 0 {
			return &Broken{s.name, n, Edited, "only the first record has none before it"}
		}
		c.last, c.from, c.begun = Point{r.Seq - 1, r.Prev}, Point{r.Seq - 1, r.Prev}, true
		return nil
	}
	want := c.last.Seq + 1
	switch {
	case want == s.first && r.Seq != want && slices.ContainsFunc(c.list, func(o segment) bool { return o.first == r.Seq }):
		return &Broken{s.name, n, Reordered, "these are the records of " + segmentFor(r.Seq).name}
	case r.Seq > want && comesLater(rest, want):
		return &Broken{s.name, n, Reordered, fmt.Sprintf("seq %d stands where %d belongs, which follows below", r.Seq, want)}
	case r.Seq > want:
		return &Broken{s.name, n, Gap, missingText(want, r.Seq-1)}
	case r.Seq < want:
		return &Broken{s.name, n, Duplicate, fmt.Sprintf("seq %d stands here again, behind %d", r.Seq, c.last.Seq)}
	case r.Prev != c.last.Hash:
		return &Broken{s.name, n, Edited, fmt.Sprintf("seq %d does not follow the record before it: one of the two is not what was written", r.Seq)}
	}
	return nil
}

// take makes the record the last one.
func (c *chain) take(s segment, n int, r Record) error {
	c.last = Point{r.Seq, r.Hash}
	c.records++
	for _, p := range []*Point{&c.head.Point, c.anchor} {
		if p != nil && p.Seq == r.Seq && p.Hash != r.Hash {
			return &Broken{s.name, n, Edited, fmt.Sprintf("seq %d has another hash than was noted down", r.Seq)}
		}
	}
	if c.running == nil {
		c.running = running{}
	}
	if wrong := c.running.read(r, c.from.Seq); wrong != "" {
		return &Broken{s.name, n, Edited, wrong}
	}
	switch {
	case r.Run != nil:
		c.runs++
		if r.Run.Detail == cutOff {
			c.cut++
		}
	case r.Dropped != nil && r.Dropped.Seq >= r.Seq:
		return &Broken{s.name, n, Edited, "it says that records were dropped which came later"}
	case r.Dropped != nil && r.Dropped.Seq == c.from.Seq:
		if r.Dropped.Hash != c.from.Hash {
			return &Broken{s.name, n, Edited, "what was dropped is not what the first record stands behind"}
		}
		c.dropped = true
	case r.Opened != nil:
		c.opened++
		c.lost += r.Opened.Lost
	}
	if c.visit != nil {
		c.visit(r)
	}
	return nil
}

// end takes the bytes at the end of a file that no newline follows; there are none
// where all is well.
func (c *chain) end(s segment, n int, text []byte, isLast bool) error {
	covered := c.head.Seq > c.last.Seq && (c.begun || c.head.Seq >= s.first)
	switch {
	case len(text) == 0 && c.tear == nil:
		return nil
	case len(text) == 0 && (covered || !isLast):
		return c.unexplained(s)
	case len(text) == 0:
		return nil
	case !isLast:
		return &Broken{s.name, n, Truncated, "the file ends within a line, and another follows"}
	case covered:
		return &Broken{s.name, n, TornEnd, fmt.Sprintf("the line is unfinished; the head says that seq %d was written", c.head.Seq)}
	}
	c.open = true
	r, err := unseal(text)
	if err != nil || c.tear != nil {
		c.tear = c.tear.add(n, text, err)
		return nil
	}
	if broken := c.place(s, n, r, bufio.NewReader(nothing{})); broken != nil {
		return broken
	}
	return c.take(s, n, r)
}

// unexplained complains of lines that are no records.
func (c *chain) unexplained(s segment) error {
	return &Broken{s.name, c.tear.line, Edited, c.tear.why.Error()}
}

func (c *chain) misplaced(s segment) error {
	if want := c.last.Seq + 1; s.first > want {
		return &Broken{s.name, 0, Gap, "before this file " + missingText(want, s.first-1)}
	}
	return &Broken{s.name, 0, Duplicate, fmt.Sprintf("it is named after seq %d, and the files before it go up to %d", s.first, c.last.Seq)}
}

func missingText(from, to uint64) string {
	if from == to {
		return fmt.Sprintf("seq %d is missing", from)
	}
	return fmt.Sprintf("seq %d to %d are missing", from, to)
}

// comesLater looks for the record in the rest of the file.
func comesLater(rest *bufio.Reader, seq uint64) bool {
	for {
		line, err := rest.ReadSlice('\n')
		if err != nil {
			return false
		}
		if r, err := unseal(line[:len(line)-1]); err == nil && r.Seq == seq {
			return true
		}
	}
}

// nothing is a reader at its end.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, io.EOF }
