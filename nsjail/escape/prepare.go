package escape

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"safe-exec/policy"
)

func (b *Battery) startMode() string { return cmp.Or(b.StartMode, policy.StartCold) }

// Prepare runs an innocent program in place of each probe, where jails are forked:
// the templates that this makes stay, and must not be taken for something that a
// probe left.
func (b *Battery) Prepare(ctx context.Context, probes []Probe) error {
	if b.startMode() != policy.StartFork {
		return nil
	}
	b.prepared = new(sync.Map)
	for _, p := range probes {
		_, levels := b.askable(p)
		for _, level := range levels {
			if err := b.prepare(ctx, p, level); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Battery) prepare(ctx context.Context, p Probe, level string) error {
	if b.prepared == nil {
		return nil
	}
	req := policy.Request{
		Language: string(p.Language), Profile: p.Profile, Privileged: true, Level: level, Ceiling: level, Code: "1",
		Limits: b.limits(p), StartMode: policy.StartFork,
	}
	req.Limits.TimeoutMS = nil
	kind, err := json.Marshal([]any{req.Language, req.Profile, req.Level, req.Limits})
	if err != nil {
		return err
	}
	if _, known := b.prepared.LoadOrStore(string(kind), true); known {
		return nil
	}
	if _, err := b.Executor.Execute(ctx, req); err != nil {
		return fmt.Errorf("prepare the forks of %s, policy %s: %w", p.Language, level, err)
	}
	return nil
}
