package escape

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"safe-exec/policy"
)

// Guard is an Executor that runs the short form of the battery through the one
// it guards, at its start and every Interval, and lets nothing else through
// while a probe is not held. The short form is the probes of severity C that
// need no profile of their own, without controls: those were won when the
// battery was made, and a daemon must not plant attacks on its own host.
type Guard struct {
	GuardConfig
	probes []Probe
	now    func() time.Time

	mu     sync.Mutex
	status Status
	until  time.Time // an answer that held stands so long, should none follow
}

// GuardConfig is what a Guard needs.
type GuardConfig struct {
	Executor policy.Executor
	Level    string // one without restrictions, so that the kernel layers are asked
	Dir      string // to plant below, made if missing; see DefaultDir
	Interval time.Duration
}

// Status is what the last short form came to.
type Status struct {
	Time   time.Time `json:"time"`
	Held   bool      `json:"held"`
	Probes int       `json:"probes"`
	Detail string    `json:"detail"` // the first that was not held, or why it could not be asked
	// Unasked is why it could not be asked since, and the answer is the one before;
	// "" if it could.
	Unasked string  `json:"unasked"`
	Millis  float64 `json:"ms"`
}

// NewGuard guards an executor. Nothing passes before the first Check.
func NewGuard(c GuardConfig) (*Guard, error) {
	if c.Interval <= 0 {
		return nil, fmt.Errorf("a guard needs an interval, not %s", c.Interval)
	}
	probes, err := shortForm()
	if err != nil {
		return nil, err
	}
	return &Guard{GuardConfig: c, probes: probes, now: time.Now, status: Status{Detail: "not checked yet"}}, nil
}

// stands is for how many intervals an answer that held is believed while no other can
// be had, for want of disk, descriptors or processes: that is no sign of a hole, and
// an end of it all would be the work of whoever uses them up.
const stands = 3

// longest bounds one check, which takes some seconds where nothing is amiss.
const longest = 10 * time.Minute

// Check runs the short form and remembers what came of it.
func (g *Guard) Check(ctx context.Context) Status {
	begin := g.now()
	bounded, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	asked, fallen, err := g.try(bounded)
	if ctx.Err() != nil {
		return g.Status() // shutting down says nothing of the layers
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	answer := Status{Time: begin, Held: true, Probes: asked, Millis: policy.Millis(g.now().Sub(begin))}
	switch {
	case fallen != "":
		answer.Held, answer.Detail = false, fallen
	case err == nil:
		g.until = g.now().Add(stands*g.Interval + longest)
	case g.status.Held && g.now().Before(g.until):
		answer = g.status
		answer.Unasked = err.Error()
	default:
		answer.Held, answer.Detail = false, "it could not be asked: "+err.Error()
	}
	g.status = answer
	return answer
}

// Status is the last answer, as long as it stands.
func (g *Guard) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.status
	if s.Held && !g.now().Before(g.until) {
		s.Held, s.Detail = false, "it could not be asked for too long: "+cmp.Or(s.Unasked, "the check has not ended")
	}
	return s
}

// soon is how long after a check that did not hold, or could not be made, the next
// one comes.
const soon = 10 * time.Second

// Watch checks again every interval, and soon after a check without a good answer,
// until ctx ends; report hears each answer.
func (g *Guard) Watch(ctx context.Context, report func(Status)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(g.wait()):
			report(g.Check(ctx))
		}
	}
}

// Execute refuses everything while the last check did not hold.
func (g *Guard) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	if err := g.refusal(); err != nil {
		return nil, err
	}
	return g.Executor.Execute(ctx, req)
}

// CheckProgram does the same for checks: they parse what nobody trusts.
func (g *Guard) CheckProgram(ctx context.Context, req policy.Request) (*policy.CheckResult, error) {
	if err := g.refusal(); err != nil {
		return nil, err
	}
	checker, ok := g.Executor.(policy.Checker)
	if !ok {
		return nil, &policy.Error{Code: policy.CodeInternal, Err: fmt.Errorf("%T checks no programs", g.Executor)}
	}
	return checker.CheckProgram(ctx, req)
}

func (g *Guard) wait() time.Duration {
	if s := g.Status(); !s.Held || s.Unasked != "" {
		return min(g.Interval, soon)
	}
	return g.Interval
}

// Step of the errors that a Guard refuses with: they say nothing of the program.
const Step = "posture_check"

func (g *Guard) refusal() error {
	s := g.Status()
	if s.Held {
		return nil
	}
	return &policy.Error{
		Code: policy.CodeSetup, Step: Step,
		Message: "the sandbox is not shown to hold on this host, so nothing runs",
		Err:     errors.New(s.Detail),
	}
}
