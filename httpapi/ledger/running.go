package ledger

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// maxRunning bounds the runs that have begun and not ended.
const maxRunning = 4096

// Why the ledger itself ends a run.
const (
	cutOff  = "the daemon ended in the midst of it"
	endLost = "what became of it could not be recorded"
)

// begun is a run that has begun and not ended.
type begun struct {
	Point // of its begin
	since time.Time
	what  Begun
	mark  *observe.Begin // nil in what was read
}

// carried is the record that takes a run over into another file.
func (b begun) carried() *Record {
	what := b.what
	what.Of, what.Since = &b.Point, &b.since
	return &Record{Time: time.Now().UTC(), Kind: kindCarried, Begun: &what}
}

// ended is the record of a run whose end nobody else records.
func (b begun) ended(reason policy.Reason, code policy.Code, detail string) *Record {
	return &Record{Time: time.Now().UTC(), Kind: kindRun, Run: &Run{
		Asked: b.what.Asked, Program: b.what.Program, Begin: b.Seq,
		Status: policy.Errored, Reason: reason, Code: code, Detail: detail,
	}}
}

// running are such runs by the sequence number of their begin.
type running map[uint64]begun

func (r running) inOrder() []begun {
	return slices.SortedFunc(maps.Values(r), func(a, b begun) int { return int(int64(a.Seq) - int64(b.Seq)) })
}

// read takes over what a record says; behind from, each begin has been read. It
// gives what is wrong with it, and empty for nothing.
func (r running) read(rec Record, from uint64) string {
	switch {
	case rec.Begun != nil && rec.Begun.Of == nil:
		r[rec.Seq] = begun{Point: Point{rec.Seq, rec.Hash}, since: rec.Time, what: *rec.Begun}
	case rec.Begun != nil:
		b := begun{Point: *rec.Begun.Of, what: *rec.Begun}
		if b.what.Of, b.what.Since = nil, nil; rec.Begun.Since != nil {
			b.since = *rec.Begun.Since
		}
		if known, ok := r[b.Seq]; ok && known.Point == b.Point || !ok && b.Seq <= from {
			r[b.Seq] = b
			return ""
		}
		return fmt.Sprintf("it carries on a run of seq %d, and none that runs began there", b.Seq)
	case rec.Run != nil && rec.Run.Begin > 0:
		if _, ok := r[rec.Run.Begin]; !ok && rec.Run.Begin > from {
			return fmt.Sprintf("it ends a run of seq %d, and none that runs began there", rec.Run.Begin)
		}
		delete(r, rec.Run.Begin)
	}
	return ""
}

// carry puts the runs that go on into the file that is written: those before it may
// be dropped, and are not read at the next start.
func (w *writer) carry() error {
	for _, b := range w.running.inOrder() {
		if err := w.put(b.carried()); err != nil {
			return err
		}
	}
	return nil
}

// resume ends the runs that the chain has open and that nobody here will end, and
// carries the others on.
func (w *writer) resume(found running) error {
	waiting := map[Point]bool{}
	for _, e := range w.backlog {
		if e.begin == nil {
			continue
		}
		at := Point(*e.begin)
		if found[at.Seq].Point != at { // it was never written, or to another ledger
			*e.begin = observe.Begin{}
			continue
		}
		waiting[at] = true
	}
	for seq, b := range w.running {
		if found[seq].Point != b.Point {
			*b.mark = observe.Begin{}
			delete(w.running, seq)
		}
	}
	reason, code, detail := policy.ReasonRestarted, policy.Code(""), cutOff
	if w.opened {
		reason, code, detail = "", policy.CodeUnavailable, endLost
	}
	closed := 0
	for _, b := range found.inOrder() {
		if _, lives := w.running[b.Seq]; lives || waiting[b.Point] {
			if err := w.put(b.carried()); err != nil {
				return err
			}
			continue
		}
		closed++
		if err := w.put(b.ended(reason, code, detail)); err != nil {
			return err
		}
	}
	if closed > 0 {
		w.cfg.Logger.Warn("audit ledger ends runs that had no end", "runs", closed, "detail", detail)
	}
	return nil
}
