package escape

import (
	"context"
	"strings"
	"time"
)

// controlled is what a control came to.
type controlled struct {
	finding
	text string
}

// absent says that the kernel has no such call, as one of an older version: there
// is nothing to hold.
func (c controlled) absent() bool { return !c.Won && strings.HasSuffix(c.text, ": ENOSYS") }

// control wants the probe to win where nothing stops it, twice if need be: on a busy
// host a control runs out of time, or loses a race, and says nothing of the probe.
// Only the end of ctx is an error.
func (b *Battery) control(ctx context.Context, p Probe, source string) (controlled, error) {
	c, err := b.tryControl(ctx, p, source)
	if err == nil && !c.Won && !c.absent() {
		c, err = b.tryControl(ctx, p, source)
	}
	return c, err
}

func (b *Battery) tryControl(ctx context.Context, p Probe, source string) (controlled, error) {
	if b.controls != nil {
		b.controls <- struct{}{}
		defer func() { <-b.controls }()
	}
	b.trace("%s: control begins", p.Name)
	begin := time.Now()
	o, err := bounded(ctx, b.bound(), endTime, func(ctx context.Context) (outcome, error) {
		return b.Naive.run(ctx, p, b.Targets, source)
	})
	if ctx.Err() != nil {
		return controlled{}, context.Cause(ctx)
	}
	c := o.judge()
	if err != nil && !c.Won {
		c = controlled{text: err.Error()}
	}
	b.trace("%s: control after %.1f s: won %t: %s", p.Name, time.Since(begin).Seconds(), c.Won, c.text)
	return c, nil
}

// judge says whether a control's program won.
func (o outcome) judge() controlled {
	f, ok := findingIn(o.stdout)
	switch {
	case ok:
		return controlled{f, f.Proof}
	case o.signal != 0:
		return controlled{text: "ended by " + o.signal.String()}
	}
	return controlled{text: "said nothing: " + lastLine(o.stderr)}
}
