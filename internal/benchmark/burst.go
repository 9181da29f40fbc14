package benchmark

import (
	"context"
	"sync"
	"time"

	"safe-exec/policy"
)

const (
	burstRequests = 64
	bursts        = 3
)

// burst sends many requests at once to an idle daemon. They are compared with
// as many in a row, which is what they would take if nothing but the steady
// cost of one mattered.
func (b *bench) burst(ctx context.Context) error {
	w := through(wayOurs, "", b.daemon.Executor)
	for _, l := range b.Languages {
		p := hello(l)
		result := BurstResult{Language: l.Name, Requests: burstRequests, Answered: burstRequests}
		var rows []float64
		for i := range bursts {
			b.Say("burst: %s, %d of %d", l.Name, i+1, bursts)
			if err := quiet(ctx, b.daemon); err != nil {
				return err
			}
			begin := time.Now()
			if _, err := inARow(ctx, w, p, burstRequests, nil); err != nil {
				return err
			}
			rows = append(rows, policy.Millis(time.Since(begin)))
			if err := quiet(ctx, b.daemon); err != nil {
				return err
			}
			oneBurst(ctx, w, p, &result)
		}
		result.InARowMS = median(rows)
		b.report.Bursts = append(b.report.Bursts, result)
	}
	return ctx.Err()
}

func oneBurst(ctx context.Context, w way, p *program, into *BurstResult) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	answered := 0
	begin := time.Now()
	for range into.Requests {
		wg.Go(func() {
			m, err := w.run(ctx, p)
			took := policy.Millis(time.Since(begin))
			mu.Lock()
			defer mu.Unlock()
			into.SlowestMS = max(into.SlowestMS, took)
			if err == nil {
				answered++
				count(&into.StartModes, m)
			} else if into.FirstError == "" {
				into.FirstError = err.Error()
			}
		})
	}
	wg.Wait()
	into.Answered = min(into.Answered, answered)
}
