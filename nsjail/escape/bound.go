package escape

import (
	"context"
	"errors"
	"time"
)

// DefaultBound is for one control or one jail, many times what the slowest probe
// takes on an idle host: a probe that is stuck costs this much and no more.
const DefaultBound = time.Minute

// endTime bounds the way from the bound to the end of what ran into it: kill,
// wait, remove.
const endTime = 20 * time.Second

var (
	errBound = errors.New("ran into the battery's own bound, as happens on a busy machine")
	errStuck = errors.New("outlived the battery's bound and its kill")
)

// bounded gives do the bound's time. The context's end must kill whatever do
// started; if do does not return even then it is left behind, and the battery
// goes on without it.
func bounded[T any](ctx context.Context, bound, end time.Duration, do func(context.Context) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeoutCause(ctx, bound, errBound)
	defer cancel()
	answered := make(chan answer, 1)
	go func() {
		value, err := do(ctx)
		answered <- answer{value, err}
	}()
	var a answer
	select {
	case a = <-answered:
	case <-ctx.Done():
		select {
		case a = <-answered:
		case <-time.After(end):
			return a.value, errors.Join(errStuck, context.Cause(ctx))
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return a.value, errors.Join(cause, a.err) // an answer that the end of the time has made
	}
	return a.value, a.err
}

// bound is the battery's, or the default.
func (b *Battery) bound() time.Duration {
	if b.Bound > 0 {
		return b.Bound
	}
	return DefaultBound
}

// trace tells Trace, if there is one.
func (b *Battery) trace(format string, args ...any) {
	if b.Trace != nil {
		b.Trace(format, args...)
	}
}
