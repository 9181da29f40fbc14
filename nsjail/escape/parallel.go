package escape

import (
	"context"
	"fmt"
	"sync"
)

// controlsAtOnce bounds controls in a parallel batch: what shall meet each
// other are jails, and a control may use much more of the host than a jail.
const controlsAtOnce = 2

// All runs probes, n at a time, and gives each probe's rows to done, which is
// never called twice at once. With more than one at a time the host is compared
// with before only at the end of the batch: left says what there is more of, ""
// if nothing.
func (b *Battery) All(ctx context.Context, probes []Probe, n int, done func([]Row)) (left string, err error) {
	var mu sync.Mutex
	return b.each(ctx, probes, n, func(ctx context.Context, worker *Battery, p Probe) error {
		rows, err := worker.Run(ctx, p)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		done(rows)
		return nil
	})
}

// each does something with every probe, n at a time, each time with a battery
// that nobody else has. The first error ends it.
func (b *Battery) each(ctx context.Context, probes []Probe, n int, do func(context.Context, *Battery, Probe) error) (left string, err error) {
	if n <= 1 {
		for _, p := range probes {
			if err := do(ctx, b, p); err != nil {
				return "", err
			}
		}
		return "", nil
	}
	var workers []*Battery
	controls := make(chan struct{}, controlsAtOnce)
	for range n {
		worker := *b
		// Targets of its own, so that what arrives is known to be this probe's.
		if worker.Targets, err = Plant(); err != nil {
			return "", err
		}
		defer worker.Targets.Remove()
		worker.Targets.Environ = b.Targets.Environ // the process that runs the jails has one
		worker.controls = controls
		worker.Watch = func() (Host, error) { return Host{}, nil }
		workers = append(workers, &worker)
	}
	before, err := b.Watch()
	if err != nil {
		return "", err
	}
	queue := make(chan Probe, len(probes))
	for _, p := range probes {
		queue <- p
	}
	close(queue)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for _, worker := range workers {
		group.Go(func() {
			for p := range queue {
				if err := do(ctx, worker, p); err != nil {
					cancel(err) // the first counts
					return
				}
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	if left, err = b.leftovers(before); err != nil {
		return "", fmt.Errorf("compare the host: %w", err)
	}
	return left, nil
}
