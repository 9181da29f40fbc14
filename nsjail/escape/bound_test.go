package escape

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

func TestBoundedEndsWhateverHappens(t *testing.T) {
	errOwn, errCaller := errors.New("own"), errors.New("caller")
	done, cancel := context.WithCancelCause(t.Context())
	cancel(errCaller)
	release := make(chan struct{})
	defer close(release)
	untilKilled := func(ctx context.Context) (int, error) { <-ctx.Done(); return 1, nil }
	for _, row := range []struct {
		name  string
		ctx   context.Context
		bound time.Duration
		end   time.Duration // what is left to what was ended
		do    func(context.Context) (int, error)
		want  int
		errs  []error
	}{
		{"an answer in time is passed on", t.Context(), time.Hour, time.Hour, func(context.Context) (int, error) { return 7, nil }, 7, nil},
		{"so is an error", t.Context(), time.Hour, time.Hour, func(context.Context) (int, error) { return 0, errOwn }, 0, []error{errOwn}},
		{"an answer that only the bound has made is none", t.Context(), time.Millisecond, time.Hour, untilKilled, 1, []error{errBound}},
		{"what the bound does not end is left behind", t.Context(), time.Millisecond, time.Millisecond, func(context.Context) (int, error) { <-release; return 7, nil }, 0, []error{errBound, errStuck}},
		{"the caller's end is not the bound", done, time.Hour, time.Hour, untilKilled, 1, []error{errCaller}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := bounded(row.ctx, row.bound, row.end, row.do)
			assert.Equal(t, row.want, got)
			assert.Equal(t, row.errs == nil, err == nil, "%v", err)
			for _, want := range row.errs {
				assert.ErrorIs(t, err, want)
			}
		})
	}
}

func TestPatienceLeavesTheClocksOwnProbes(t *testing.T) {
	ms := func(n int64) *int64 { return &n }
	for _, row := range []struct {
		name     string
		patience time.Duration
		own      *int64
		verdict  policy.Reason
		want     *int64
	}{
		{"without patience the default holds", 0, nil, "", nil},
		{"with patience it is raised", 20 * time.Second, nil, "", ms(20000)},
		{"so is a probe's own limit", 20 * time.Second, ms(300), policy.ReasonMemoryLimit, ms(20000)},
		{"a longer one stays", 20 * time.Second, ms(30000), policy.ReasonOutputLimit, ms(30000)},
		{"one that must end by the clock keeps its time", 20 * time.Second, ms(300), policy.ReasonWallTimeout, ms(300)},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := &Battery{Patience: row.patience}
			assert.Equal(t, row.want, b.limits(Probe{Verdict: row.verdict, Limits: policy.LimitsRequest{TimeoutMS: row.own}}).TimeoutMS)
		})
	}
}
