package benchmark

import (
	"context"
	"time"

	"safe-exec/policy"
)

// lane is a program and one way to run it.
type lane struct {
	program *program
	way     way
	samples samples
}

// settle is how long the machine is left alone after a run in the daemon. What
// the daemon does behind an answer, teardown and refilling, would else slow
// down the bare process that is next and make the ratio look better than it is.
const settle = 30 * time.Millisecond

// interleave runs all lanes in turn, round by round, so that drift hits all
// alike; each round begins with another lane, so that what one leaves behind
// does not always hit the same. warmup rounds come before and do not count.
func interleave(ctx context.Context, lanes []*lane, warmup, rounds int, say func(string, ...any)) error {
	for round := range warmup + rounds {
		say("round %d of %d", round+1, warmup+rounds)
		for i := range lanes {
			l := lanes[(round+i)%len(lanes)]
			took, m, err := l.way.timed(ctx, l.program)
			if err != nil {
				return err
			}
			if m != nil {
				pause(ctx, settle)
			}
			if round >= warmup {
				l.samples.add(took, m)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// latencies puts the lanes of one program together.
func latencies(lanes []*lane) []Latency {
	var all []Latency
	at := make(map[*program]int)
	for _, l := range lanes {
		p := l.program
		i, ok := at[p]
		if !ok {
			i = len(all)
			at[p] = i
			all = append(all, Latency{Figure: p.figure, Language: p.language.Name, Version: p.language.Version, Program: p.name})
		}
		var command []string
		if l.way.command != nil {
			command = l.way.command(p.language)
		}
		all[i].Ways = append(all[i].Ways, l.samples.timing(l.way.name, command))
	}
	return all
}

// inARow runs one program n times by one way and gives the milliseconds of
// each.
func inARow(ctx context.Context, w way, p *program, n int, each func(*policy.Metrics)) ([]float64, error) {
	took := make([]float64, 0, n)
	for range n {
		ms, m, err := w.timed(ctx, p)
		if err != nil {
			return took, err
		}
		if each != nil {
			each(m)
		}
		took = append(took, ms)
	}
	return took, ctx.Err()
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
