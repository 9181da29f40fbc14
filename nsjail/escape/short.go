package escape

import (
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
	executor policy.Executor
	level    string // one without restrictions, so that the kernel layers are asked
	probes   []Probe

	mu     sync.Mutex
	status Status
}

// Status is what the last short form came to.
type Status struct {
	Time   time.Time `json:"time"`
	Held   bool      `json:"held"`
	Probes int       `json:"probes"`
	Detail string    `json:"detail"` // the first that was not held, or why it could not be asked
	Millis float64   `json:"ms"`
}

// NewGuard guards an executor. Nothing passes before the first Check.
func NewGuard(executor policy.Executor, level string) (*Guard, error) {
	all, err := Probes()
	if err != nil {
		return nil, err
	}
	g := &Guard{executor: executor, level: level, status: Status{Detail: "not checked yet"}}
	for _, p := range all {
		if p.Severity == "C" && p.Profile == "" && !p.Innocent && p.Verdict == "" {
			g.probes = append(g.probes, p)
		}
	}
	if len(g.probes) == 0 {
		return nil, errors.New("the short form of the battery is empty")
	}
	return g, nil
}

// Check runs the short form and remembers what came of it.
func (g *Guard) Check(ctx context.Context) Status {
	begin := time.Now()
	s := Status{Time: begin, Held: true}
	targets, err := plant()
	if err != nil {
		s.Held, s.Detail = false, err.Error()
		return g.set(s, begin)
	}
	defer targets.Remove()
	b := &Battery{Executor: g.executor, Targets: targets, Watch: func() (Host, error) { return Host{}, nil }}
	for _, p := range g.probes {
		row, err := b.jailed(ctx, p, targets.fill(p.source), g.level)
		if err != nil && ctx.Err() == nil { // a start that failed under load is no hole
			row, err = b.jailed(ctx, p, targets.fill(p.source), g.level)
		}
		if ctx.Err() != nil {
			return g.Status() // shutting down says nothing of the layers
		}
		s.Probes++
		if err == nil && row.Verdict.Good() {
			continue
		}
		s.Held = false
		if s.Detail == "" {
			s.Detail = fmt.Sprintf("%s: %s: %s", p.Name, row.Verdict, row.Evidence)
			if err != nil {
				s.Detail = fmt.Sprintf("%s: %v", p.Name, err)
			}
		}
	}
	return g.set(s, begin)
}

func (g *Guard) set(s Status, begin time.Time) Status {
	s.Millis = policy.Millis(time.Since(begin))
	g.mu.Lock()
	defer g.mu.Unlock()
	g.status = s
	return s
}

// Status is the last answer.
func (g *Guard) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.status
}

// soon is how long after a check that did not hold the next one comes.
const soon = 10 * time.Second

// Watch checks again every interval, and soon after a check that did not hold,
// until ctx ends; report hears each answer.
func (g *Guard) Watch(ctx context.Context, interval time.Duration, report func(Status)) {
	for {
		wait := interval
		if !g.Status().Held {
			wait = min(interval, soon)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			report(g.Check(ctx))
		}
	}
}

// Execute refuses everything while the last check did not hold.
func (g *Guard) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	if err := g.refusal(); err != nil {
		return nil, err
	}
	return g.executor.Execute(ctx, req)
}

// CheckProgram does the same for checks: they parse what nobody trusts.
func (g *Guard) CheckProgram(ctx context.Context, req policy.Request) (*policy.CheckResult, error) {
	if err := g.refusal(); err != nil {
		return nil, err
	}
	checker, ok := g.executor.(policy.Checker)
	if !ok {
		return nil, &policy.Error{Code: policy.CodeInternal, Err: fmt.Errorf("%T checks no programs", g.executor)}
	}
	return checker.CheckProgram(ctx, req)
}

func (g *Guard) refusal() error {
	s := g.Status()
	if s.Held {
		return nil
	}
	return &policy.Error{
		Code: policy.CodeSetup, Step: "posture_check",
		Message: "the sandbox does not hold what it promises on this host, so nothing runs",
		Err:     errors.New(s.Detail),
	}
}
