package nsjail

import (
	"cmp"
	"context"
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

// collectTimeout bounds the bringing back of files. All that is allowed takes some
// ten milliseconds.
const collectTimeout = 2 * time.Second

// leavesFiles says whether a run that ended so brings files back: it ended by
// itself, so that no process of it is left, and what it left is what it meant to.
func leavesFiles(e evidence, v verdict) bool {
	switch v.termination.Reason {
	case policy.ReasonCompleted, policy.ReasonException, policy.ReasonExitNonzero, policy.ReasonSignal,
		policy.ReasonImportDenied, policy.ReasonPolicyViolation:
		return e.exited && v.status != policy.Rejected && !e.untouched()
	}
	return false
}

// untouched says that the working directory holds nothing: its own inode alone is
// taken.
func (e evidence) untouched() bool { return int64(e.freeInodes) == e.spec.Limits.MaxFiles-1 }

// collect brings back what the spec asks for. It fails in no way that a caller
// would have to know but by what is not brought back.
func (j *jail) collect(ctx context.Context) ([]policy.File, []policy.SkippedFile) {
	c := collector{socket: int(j.control.Fd()), spec: j.spec, files: []policy.File{}, skipped: []policy.SkippedFile{}}
	if j.spec.Collect != nil && len(j.spec.Collect) == 0 {
		return c.files, c.skipped
	}
	ctx, cancel := context.WithTimeout(ctx, collectTimeout)
	defer cancel()
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		_ = unix.Shutdown(c.socket, unix.SHUT_RDWR) // wakes whoever waits for an answer
	})
	err := c.run()
	if !stop() {
		<-stopped
		err = cmp.Or(err, context.Cause(ctx))
	}
	if err != nil && ctx.Err() == nil {
		j.runner.log.Error("files not brought back", "error", err)
	}
	return c.files, c.list(err, ctx.Err() != nil)
}

// collector is the bringing back of the files of one run. The other end is the
// jail's init, and everything that comes from there may be the work of whoever
// made the files.
type collector struct {
	socket int
	spec   policy.Spec

	rest    []wire.Collect // entries that are still to be looked at
	files   []policy.File
	bytes   int64
	skipped []policy.SkippedFile
	more    int  // skipped beyond what is told
	partial bool // there are entries that nobody looked at
}

func (c *collector) run() error {
	if err := c.look(); err != nil {
		c.rest = nil
		return err
	}
	// So that what is brought back does not depend on the order of a directory.
	slices.SortFunc(c.rest, func(a, b wire.Collect) int { return strings.Compare(string(a.Rest), string(b.Rest)) })
	for len(c.rest) > 0 {
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

func (c *collector) ask(request wire.Collect) error {
	return wire.SendPacket(c.socket, request.Encode())
}

func (c *collector) answer() (wire.Collect, error) {
	packet, fds, err := wire.RecvPacket(c.socket)
	if err == io.EOF {
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
