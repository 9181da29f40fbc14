package httpapi

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// problems keeps what an observer hears of those that were turned away.
type problems struct {
	observe.Nothing
	mu      sync.Mutex
	codes   []policy.Code
	reasons []string
}

func (p *problems) Problem(c policy.Code) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.codes = append(p.codes, c)
}

func (p *problems) Refused(reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reasons = append(p.reasons, reason)
}

func TestEachProblemIsToldWithItsReason(t *testing.T) {
	var heard problems
	d := start(t, Config{Observe: &heard, Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) {
		switch r.Code {
		case "busy":
			return nil, busy(BusyQueueFull, minRetry, "full")
		case "fail":
			return nil, errors.New("x")
		}
		return echo(ctx, r)
	})})
	for _, code := range []string{"busy", "fail", "good", ""} {
		d.do("POST", runPath, `{"language":"python","code":"`+code+`"}`)
	}
	d.do("GET", "/nowhere", "")
	heard.mu.Lock()
	defer heard.mu.Unlock()
	assert.Equal(t, []policy.Code{policy.CodeBusy, policy.CodeInternal, policy.CodeInvalid, policy.CodeNotFound}, heard.codes)
	assert.Equal(t, []string{"queue_full"}, heard.reasons)
	for _, r := range heard.reasons {
		assert.True(t, slices.Contains(observe.Reasons, r))
	}
}
