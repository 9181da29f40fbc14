package httpapi

import (
	"context"
	"net/http"
	"time"

	"safe-exec/policy"
)

// retryAfterSeconds is what a refused caller is told to wait. Runs last
// seconds at most, and whoever comes too early is only refused again.
const retryAfterSeconds = 1

// gate admits a fixed number of holders at once. Whoever finds it full waits,
// but only a bounded number wait, and only for a bounded time: a caller that
// would be served late is better told so at once.
type gate struct {
	slots   chan struct{}
	waiting chan struct{}
	limit   time.Duration
	closing <-chan struct{}
}

func newGate(slots, waiting int, limit time.Duration, closing <-chan struct{}) *gate {
	return &gate{
		slots: make(chan struct{}, slots), waiting: make(chan struct{}, waiting),
		limit: limit, closing: closing,
	}
}

// enter takes a slot and returns what gives it back. It fails with CodeBusy
// when slots and waiting places are taken or the wait took too long, with
// CodeUnavailable when the server drains or the caller went away.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	select {
	case <-g.closing:
		return nil, errDraining
	default:
	}
	leave = func() { <-g.slots }
	select {
	case g.slots <- struct{}{}:
		return leave, nil
	default:
	}
	select {
	case g.waiting <- struct{}{}:
		defer func() { <-g.waiting }()
	default:
		return nil, busy("queue_full", "all slots and waiting places are taken")
	}
	timer := time.NewTimer(g.limit)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		return leave, nil
	case <-timer.C:
		return nil, busy("wait_limit", "no slot became free in time")
	case <-g.closing:
		return nil, errDraining
	case <-ctx.Done():
		return nil, errGone(ctx.Err())
	}
}

// idle waits until every holder has left, by taking all slots itself. The gate
// must be closing: it admits nobody afterwards.
func (g *gate) idle(ctx context.Context) error {
	for range cap(g.slots) {
		select {
		case g.slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func busy(reason, message string) error {
	return &refusal{
		status: http.StatusTooManyRequests, reason: reason,
		cause: &policy.Error{Code: policy.CodeBusy, Message: message},
	}
}

var errDraining error = &policy.Error{Code: policy.CodeUnavailable, Message: "the daemon is shutting down and takes no new work"}
