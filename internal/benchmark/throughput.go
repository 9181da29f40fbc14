package benchmark

import (
	"context"
	"sync"
	"time"

	"safe-exec/policy"
)

// Clients are the numbers of concurrent clients that throughput is measured at;
// peers are measured at peerClients alone.
var Clients = []int{1, 2, 4, 8}

const peerClients = 2

func (b *bench) throughput(ctx context.Context) error {
	if b.Slices == 0 {
		return nil
	}
	for _, l := range b.Languages {
		for _, clients := range Clients {
			ways := []way{bare(), through(wayOurs, "", b.daemon.Executor)}
			if clients == peerClients {
				ways = append(ways, b.peers...)
			}
			result := RunsPerTime{Language: l.Name, Clients: clients, Ways: make([]RunsRate, len(ways))}
			for slice := range b.Slices { // in turn, so that drift hits all alike
				for i, w := range ways {
					b.Say("throughput: %s, %d clients, slice %d of %d, %s", l.Name, clients, slice+1, b.Slices, w.name)
					result.Ways[i].Way = w.name
					rate(ctx, w, hello(l), clients, b.Slice, b.Slices, &result.Ways[i])
					if err := quiet(ctx, b.daemon); err != nil {
						return err
					}
				}
			}
			b.report.Throughputs = append(b.report.Throughputs, result)
		}
	}
	return nil
}

// rate has several clients run one program for one slice out of slices, and
// adds to into.
func rate(ctx context.Context, w way, p *program, clients int, slice time.Duration, slices int, into *RunsRate) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	done := 0
	note := func(m *policy.Metrics, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			done++
			count(&into.StartModes, m)
			return
		}
		into.Failures++
		if into.FirstError == "" {
			into.FirstError = err.Error()
		}
	}
	begin := time.Now()
	for range clients {
		wg.Go(func() {
			for time.Since(begin) < slice && ctx.Err() == nil {
				note(w.run(ctx, p))
			}
		})
	}
	wg.Wait()
	into.PerSecond += float64(done) / time.Since(begin).Seconds() / float64(slices)
}
