package httpapi

import (
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
	d := start(t, Config{Executor: executorFunc(echo), Observe: &heard, Check: func(r policy.Request) error {
		switch r.Code {
		case "busy":
			return busy("queue_full", "full")
		case "fail":
			return errors.New("x")
		}
		return nil
	}})
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
