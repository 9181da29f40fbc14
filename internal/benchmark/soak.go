package benchmark

import (
	"context"
	"time"

	"safe-exec/policy"
)

const (
	soakPart   = 1000 // runs at either end that are compared
	soakWarmup = 200  // runs before, in which the daemon grows to its size
)

// soak runs one program after the other and looks for what grows. The runs of
// the parts that are compared have the same neighbours: nothing else happens.
func (b *bench) soak(ctx context.Context) error {
	w := through(wayOurs, "", b.daemon.Executor)
	for _, l := range b.Languages {
		p := hello(l)
		result := SoakResult{Language: l.Name, Runs: b.Soak, Part: min(soakPart, max(1, b.Soak/2))}
		if _, err := inARow(ctx, w, p, soakWarmup, nil); err != nil {
			return err
		}
		if err := quiet(ctx, b.daemon); err != nil {
			return err
		}
		slab := slabObjects()
		result.Before = resources(b.daemon)
		done := 0
		took, err := inARow(ctx, w, p, b.Soak, func(m *policy.Metrics) {
			count(&result.StartModes, m)
			if done++; done%100 == 0 {
				b.Say("soak: %s, %d of %d", l.Name, done, b.Soak)
			}
		})
		if err != nil {
			return err
		}
		result.FirstP50, result.LastP50 = median(took[:result.Part]), median(took[len(took)-result.Part:])
		if err := quiet(ctx, b.daemon); err != nil {
			return err
		}
		result.After = settled(ctx, b.daemon, result.Before)
		result.SlabGrowth = grown(slab, slabObjects(), b.Soak)
		b.report.Soaks = append(b.report.Soaks, result)
	}
	return nil
}

// settled waits until nothing that can be counted is more than before, for half
// a minute at most: the kernel takes namespaces down behind our back.
func settled(ctx context.Context, d *Daemon, before Resources) Resources {
	begin := time.Now()
	for {
		now := resources(d)
		same := now.Cgroups <= before.Cgroups && now.Namespaces <= before.Namespaces && now.Descriptors <= before.Descriptors
		if same || time.Since(begin) > 30*time.Second || ctx.Err() != nil {
			return now
		}
		pause(ctx, 500*time.Millisecond)
	}
}
