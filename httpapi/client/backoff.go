package client

import (
	"context"
	"errors"
	"time"

	"safe-exec/policy"
)

const (
	// maxBreaks is how often in a row a connection may break without anything
	// new.
	maxBreaks    = 8
	firstPause   = 100 * time.Millisecond
	longestPause = 10 * time.Second
)

// backoff counts how often a daemon could not answer.
type backoff struct{ breaks int }

// after waits before the next try. It gives back err where another would not
// help, there have been enough, or ctx is done. A daemon that says when to come
// back is there: that is no break, and is waited for as long as it says.
func (b *backoff) after(ctx context.Context, err error) error {
	var e *policy.Error
	if !errors.As(err, &e) || e.Code != policy.CodeUnavailable && e.Code != policy.CodeBusy {
		return err
	}
	pause, asked := RetryAfter(err)
	if !asked {
		if b.breaks++; b.breaks > maxBreaks {
			return err
		}
		pause = min(firstPause<<(b.breaks-1), longestPause)
	}
	if over := sleep(ctx, pause); over != nil && !errors.Is(err, over) {
		return &policy.Error{Code: policy.CodeUnavailable, Message: "the time of this call is over", Err: errors.Join(over, err)}
	} else if over != nil {
		return err
	}
	return nil
}

// sleep fails with ctx's error where that is done first, or already.
func sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
