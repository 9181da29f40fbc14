// Package collect brings back the files that a dead program left in its working
// directory. It asks the jail's init, which alone opens them (nsjail/shim), and
// chooses and bounds what comes; every answer is read as the work of whoever made
// the files. Nothing here opens a path.
package collect

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

// timeout bounds the bringing back of all files. What is allowed takes some ten
// milliseconds, and on a host that is busy with much else seconds: files that are lost
// for that are the program's result.
const timeout = 10 * time.Second

// From asks the init at the other end of the control socket for the files that spec
// wants; those that it names come before those that only match a pattern. What is not
// brought back is skipped, with a reason; the error is why it ended early, for a log.
// The end of ctx ends it, and with it the socket's use.
//
// Preconditions: no process of the jail but its init lives, and nobody else reads
// the socket.
func From(ctx context.Context, socket int, spec policy.Spec) ([]policy.File, []policy.SkippedFile, error) {
	c := newCollector(socket, spec)
	if spec.Collect != nil && len(spec.Collect) == 0 {
		return c.files, c.skipped, nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		_ = unix.Shutdown(socket, unix.SHUT_RDWR) // wakes whoever waits for an answer
	})
	err := c.run(ctx)
	if !stop() {
		<-stopped // the number may be another's soon
	}
	return c.files, c.list(err, ctx.Err() != nil), err
}

// collector is the bringing back of the files of one run. The other end is the
// jail's init, and everything that comes from there may be the work of whoever
// made the files.
type collector struct {
	socket int
	spec   policy.Spec
	asked  *policy.Globs

	rest    []wire.Collect // entries that are still to be looked at
	files   []policy.File
	bytes   int64
	skipped []policy.SkippedFile
	more    int  // skipped beyond what is told
	partial bool // there are entries that nobody looked at
}

func newCollector(socket int, spec policy.Spec) *collector {
	return &collector{socket: socket, spec: spec, asked: policy.NewGlobs(spec.Collect), files: []policy.File{}, skipped: []policy.SkippedFile{}}
}

func (c *collector) run(ctx context.Context) error {
	defer func() {
		slices.SortFunc(c.files, func(a, b policy.File) int { return strings.Compare(a.Path, b.Path) })
	}()
	named := policy.Literals(c.spec.Collect)
	err := c.look()
	if err == nil {
		err = c.find(named)
	}
	if err != nil {
		c.rest = nil
		return err
	}
	rank := func(e wire.Collect) int {
		if slices.Contains(named, string(e.Rest)) {
			return 0
		}
		return 1
	}
	// What is named is not to lose its place to what only matches, and what is brought
	// back not to depend on the order of a directory.
	slices.SortFunc(c.rest, func(a, b wire.Collect) int {
		return cmp.Or(rank(a)-rank(b), strings.Compare(string(a.Rest), string(b.Rest)))
	})
	for len(c.rest) > 0 {
		if ctx.Err() != nil { // what is not asked for does not need the socket
			return ctx.Err()
		}
		if err := c.take(c.rest[0]); err != nil {
			return err
		}
		c.rest = c.rest[1:]
	}
	return nil
}

// look lists the working directory into rest.
func (c *collector) look() error {
	if err := c.ask(wire.Collect{Kind: wire.CollectList}); err != nil {
		return err
	}
	for {
		e, err := c.answer()
		switch {
		case err != nil:
			return err
		case e.Kind == wire.CollectEnd && e.Why != wire.WhyNot:
			c.skip("", "the init may not look into the working directory: chmod it to 0755 before the program ends")
			return nil
		case e.Kind == wire.CollectEnd:
			c.partial = e.Size != 0
			return nil
		case e.Kind == wire.CollectData, len(c.rest) == wire.MaxCollectEntries:
			return wire.ErrMalformed
		}
		if path := string(e.Rest); utf8.ValidString(path) && (!fs.ValidPath(path) || path == ".") {
			return wire.ErrMalformed
		}
		c.rest = append(c.rest, e)
	}
}

// find looks by their names for files that the list did not show: it ends after so
// many entries, and leaves out what lies in a directory that cannot be listed.
func (c *collector) find(named []string) error {
	for _, path := range named {
		if slices.ContainsFunc(c.rest, func(e wire.Collect) bool { return string(e.Rest) == path }) {
			continue
		}
		if err := c.ask(wire.Collect{Kind: wire.CollectRead, Rest: []byte(path)}); err != nil {
			return err
		}
		e, err := c.answer()
		switch {
		case err != nil:
			return err
		case e.Kind != wire.CollectEnd:
			return wire.ErrMalformed
		case e.Why == wire.WhyAbsent:
			continue
		}
		e.Kind, e.Rest = wire.CollectFile, []byte(path)
		if e.Why != wire.WhyNot {
			e.Kind = wire.CollectSkipped
		}
		c.rest = append(c.rest, e)
	}
	return nil
}

func (c *collector) ask(request wire.Collect) error {
	return wire.SendPacket(c.socket, request.Encode())
}

func (c *collector) answer() (wire.Collect, error) {
	packet, fds, err := wire.RecvPacket(c.socket)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && len(fds) > 0 {
		wire.CloseAll(fds)
		err = wire.ErrMalformed
	}
	if err != nil {
		return wire.Collect{}, err
	}
	return wire.DecodeCollect(packet)
}
