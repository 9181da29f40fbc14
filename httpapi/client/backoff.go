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
// help, there have been enough, or ctx is done.
func (b *backoff) after(ctx context.Context, err error) error {
	var e *policy.Error
	passing := errors.As(err, &e) && (e.Code == policy.CodeUnavailable || e.Code == policy.CodeBusy)
	if b.breaks++; !passing || b.breaks > maxBreaks || ctx.Err() != nil {
		return err
	}
	pause := min(firstPause<<(b.breaks-1), longestPause)
	if asked, ok := RetryAfter(err); ok {
		pause = min(asked, longestPause)
	}
	if sleep(ctx, pause) != nil {
		return err
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
