package benchmark

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"safe-exec/policy"
)

// floodClients is how many clients of one caller ask without a pause: more than a
// caller may have runs at once.
const floodClients = 16

// floods are what another caller sends meanwhile.
var floods = []struct{ name, code string }{
	{"loops", "while True: pass"},
	{"short runs", "print(sum(range(20000)))"},
}

// flood measures the hello of a caller who asks now and then, alone and while
// another caller of the same daemon asks for all that he can get.
func (b *bench) flood(ctx context.Context) error {
	i := slices.IndexFunc(b.Languages, func(l Language) bool { return l.Name == "python" })
	if i < 0 {
		return errors.New("it needs Python")
	}
	d, err := b.Start(ctx, "")
	if err != nil {
		return err
	}
	defer d.Stop()
	w, p := through(wayOurs, "", d.Executor), hello(b.Languages[i])
	rounds := max(3*b.Rounds, 100) // for a p99 worth its name
	b.Say("flood: quiet")
	alone, err := sparse(ctx, w, p, rounds)
	if err != nil {
		return err
	}
	for _, f := range floods {
		b.Say("flood: %s", f.name)
		flooding, stop := context.WithCancel(ctx)
		var wg sync.WaitGroup
		for range floodClients {
			wg.Go(func() { withoutPause(flooding, d.Other, f.code) })
		}
		pause(ctx, time.Second) // until the flood is at its height
		beside, err := sparse(ctx, w, p, rounds)
		stop()
		wg.Wait()
		if err != nil {
			return err
		}
		b.report.Floods = append(b.report.Floods, FloodResult{Flood: f.name, Clients: floodClients, Alone: alone, Beside: beside})
		if err := quiet(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// sparse is one run after the other with a pause in between.
func sparse(ctx context.Context, w way, p *program, rounds int) (Timing, error) {
	lanes := []*lane{{program: p, way: w}}
	const warmup = 20
	err := interleave(ctx, lanes, warmup, rounds, func(string, ...any) {})
	return lanes[0].samples.timing(w.name, nil), err
}

// withoutPause sends one program after the other until ctx ends; what is refused is asked
// for again a little later.
func withoutPause(ctx context.Context, e policy.Executor, code string) {
	limit := int64(2000)
	for ctx.Err() == nil {
		if _, err := e.Execute(ctx, policy.Request{Language: "python", Code: code, Limits: policy.LimitsRequest{TimeoutMS: &limit}}); err != nil {
			pause(ctx, 20*time.Millisecond)
		}
	}
}
