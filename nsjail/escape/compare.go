package escape

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"safe-exec/policy"
)

// Comparison is the host before and after a batch of probes.
type Comparison struct {
	Before Host `json:"before"`
	After  Host `json:"after"`
	// The best of a few runs of an innocent program, from asking to the answer,
	// in milliseconds.
	HelloBefore float64 `json:"hello_before_ms"`
	HelloAfter  float64 `json:"hello_after_ms"`
	// Left says what there is more of than before, or what has become slow; ""
	// if nothing.
	Left string `json:"left,omitempty"`
}

// Before looks at the host before a batch.
func (b *Battery) Before(ctx context.Context) (c Comparison, err error) {
	if c.HelloBefore, err = b.hello(ctx); err != nil {
		return c, err
	}
	c.Before, err = b.rest()
	return c, err
}

// rest looks at the host until three looks in a row are alike: what a run used
// is given back a moment after its answer, and what is counted too many before
// would hide as many after.
func (b *Battery) rest() (h Host, err error) {
	alike := 0
	for range 100 {
		now, err := b.Watch()
		if err != nil {
			return h, err
		}
		if alike++; now != h {
			alike = 1
		}
		if h = now; alike == 3 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return h, nil
}

// After looks again, until the host is as before or nothing more is to be waited
// for.
func (b *Battery) After(ctx context.Context, c Comparison) (Comparison, error) {
	left, err := b.leftovers(c.Before)
	if err != nil {
		return c, fmt.Errorf("compare the host: %w", err)
	}
	c.Left = left
	if c.After, err = b.Watch(); err != nil {
		return c, fmt.Errorf("compare the host: %w", err)
	}
	// A slow moment is the machine's; slow for good is what is looked for.
	for deadline := time.Now().Add(slowFor); ; {
		if c.HelloAfter, err = b.hello(ctx); err != nil {
			return c, err
		}
		slow := slower(c.HelloBefore, c.HelloAfter)
		if slow == "" {
			return c, nil
		}
		if time.Now().After(deadline) {
			if c.Left != "" {
				slow = c.Left + ", " + slow
			}
			c.Left = slow
			return c, nil
		}
	}
}

// DefaultSettle is for what the kernel frees on its own time, keys for one.
const DefaultSettle = 3 * time.Second

func (b *Battery) leftovers(before Host) (string, error) {
	for deadline := time.Now().Add(cmp.Or(b.Settle, DefaultSettle)); ; time.Sleep(2 * time.Millisecond) {
		now, err := b.Watch()
		if err != nil {
			return "", err
		}
		if left := now.more(before); left == "" || time.Now().After(deadline) {
			return left, nil
		}
	}
}

const (
	hellos  = 5 // runs of which the best counts
	slowFor = 20 * time.Second
)

// slower says that a run takes longer than noise explains, "" if it does not.
// Times are in milliseconds.
func slower(before, after float64) string {
	if after <= 2*before+50 {
		return ""
	}
	return fmt.Sprintf("an innocent run takes %.0f ms instead of %.0f", after, before)
}

// hello is the best time of an innocent run, in milliseconds.
func (b *Battery) hello(ctx context.Context) (best float64, err error) {
	for i := range hellos {
		begin := time.Now()
		result, err := b.Executor.Execute(ctx, policy.Request{Language: string(policy.Python), Privileged: true, StartMode: b.startMode(), Code: "print('hello')"})
		took := policy.Millis(time.Since(begin))
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case err != nil:
			return 0, fmt.Errorf("an innocent run: %w", err)
		case result.Status != policy.Succeeded || result.Stdout != "hello\n":
			return 0, fmt.Errorf("an innocent run: %s: %s", result.Status, result.Termination.Reason)
		}
		if i == 0 || took < best {
			best = took
		}
	}
	return best, nil
}
