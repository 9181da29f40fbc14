package benchmark

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"
)

// quiet waits until the daemon's jails have stayed the same for half a second:
// what was used is torn down and the spares are there again.
func quiet(ctx context.Context, d *Daemon) error {
	const (
		look    = 50 * time.Millisecond
		same    = 10
		atMost  = 30 * time.Second
		message = "the daemon's jails do not come to rest"
	)
	begin := time.Now()
	var last string
	for seen := 0; seen < same; seen++ {
		if time.Since(begin) > atMost {
			return errors.New(message)
		}
		if now := strings.Join(sortedKeys(jails(d)), " "); now != last {
			last, seen = now, 0
		}
		pause(ctx, look)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// memory looks at what waits in the idle daemon.
func (b *bench) memory(ctx context.Context) error {
	const wake = 20 // runs: spares may be kept only for who asked before
	for _, l := range b.Languages {
		if _, err := inARow(ctx, through(wayOurs, "", b.daemon.Executor), hello(l), wake, nil); err != nil {
			return err
		}
	}
	b.Say("memory: waiting until the daemon is idle")
	if err := quiet(ctx, b.daemon); err != nil {
		return err
	}
	found := waiting(jails(b.daemon))
	for _, l := range b.Languages {
		if !slices.ContainsFunc(found, func(w Waiting) bool { return w.Language == l.Name && w.Kind != kindTemplate }) {
			found = append(found, Waiting{Language: l.Name, Kind: kindNone})
		}
	}
	b.report.Waiting = found
	return nil
}

// waiting sorts the jails of an idle daemon and takes the mean of each sort.
func waiting(all map[string]jail) []Waiting {
	type sort struct{ language, kind string }
	sums := make(map[sort]*Waiting)
	for _, j := range all {
		s := sort{languageOf(j), kindOf(j)}
		if s.language == "" {
			continue
		}
		w := sums[s]
		if w == nil {
			w = &Waiting{Language: s.language, Kind: s.kind}
			sums[s] = w
		}
		w.Count++
		for _, p := range j {
			private, proportional := memoryMB(p.pid)
			w.PrivateMB += private
			w.ProportionalMB += proportional
		}
	}
	list := []Waiting{}
	for _, w := range sums {
		w.PrivateMB /= float64(w.Count)
		w.ProportionalMB /= float64(w.Count)
		list = append(list, *w)
	}
	slices.SortFunc(list, func(a, b Waiting) int { return strings.Compare(a.Language+a.Kind, b.Language+b.Kind) })
	return list
}

// Kinds of what waits.
const (
	kindWarm     = "warm"     // a spare that was started cold
	kindFork     = "fork"     // a spare that a template forked
	kindTemplate = "template" // no spare
	kindNone     = "none"     // no spare of the language waits
)

// templatePID is what a template is in its pid namespace; a fork of it is 2.
const templatePID = 100

// kindOf goes by command lines: a fork has that of its template, but another
// number.
func kindOf(j jail) string {
	payload := j.payload()
	switch {
	case payload == nil || !slices.Contains(payload.args[1:], "template"):
		return kindWarm
	case payload.inner == templatePID:
		return kindTemplate
	}
	return kindFork
}

// languageOf goes by the interpreter's name, empty for a jail without one.
func languageOf(j jail) string {
	for _, p := range j {
		switch name := path.Base(p.args[0]); {
		case strings.HasPrefix(name, "python"):
			return "python"
		case strings.HasPrefix(name, "node"):
			return "javascript"
		}
	}
	return ""
}
