package httpapi

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"safe-exec/policy"
)

// Accounts remembers what each caller used: requests, and processor time of the
// last hour. It is made apart from the Server because the executor of the jobs
// feeds it too.
type Accounts struct {
	now   func() time.Time
	begin time.Time

	mu  sync.Mutex
	all map[string]*account // by policy.Caller.String
}

type account struct {
	requests *rate.Limiter
	cpu      window
	seen     time.Time
}

// maxAccounts bounds the callers that are remembered, at about 300 bytes each.
// Whoever came longest ago is forgotten first, and with him what he used: one who
// can be that many callers would have had as many allowances anyway.
const maxAccounts = 4096

// NewAccounts starts with nothing used.
func NewAccounts() *Accounts { return newAccounts(time.Now) }

func newAccounts(now func() time.Time) *Accounts {
	return &Accounts{now: now, begin: now(), all: map[string]*account{}}
}

// Metered gives the executor whose runs are charged to those who asked for them.
func (a *Accounts) Metered(e policy.Executor) policy.Executor { return metered{e, a} }

type metered struct {
	policy.Executor
	accounts *Accounts
}

func (m metered) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	result, err := m.Executor.Execute(ctx, req)
	if result != nil {
		m.accounts.Charge(req.Caller, result.Metrics)
	}
	return result, err
}

// Charge adds the processor time of a run or a check to what its caller used.
func (a *Accounts) Charge(c policy.Caller, m policy.Metrics) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.of(c).cpu.add(a.age(), (m.CPUUserMS+m.CPUSystemMS)/1000)
}

// request counts one, or refuses it with CodeBusy.
func (a *Accounts) request(c policy.Caller, allowed Allowance) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := a.of(c)
	limit, burst := rate.Limit(allowed.RatePerMinute/60), int(allowed.Burst)
	if one.requests == nil || one.requests.Limit() != limit || one.requests.Burst() != burst {
		one.requests = rate.NewLimiter(limit, burst)
	}
	now := a.now()
	taken := one.requests.ReserveN(now, 1)
	if after := taken.DelayFrom(now); after > 0 {
		taken.CancelAt(now) // it is refused, and takes nothing from those to come
		return busy(BusyCallerRate, after, "this caller sends too many requests")
	}
	return nil
}

// mayRun refuses with CodeBusy who has used up the processor time of the hour.
// What runs at that moment ends by its own limits.
func (a *Accounts) mayRun(c policy.Caller, allowed Allowance) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	after := a.of(c).cpu.wait(a.age(), allowed.CPUSecondsPerHour)
	if after <= 0 {
		return nil
	}
	return busy(BusyCallerCPU, after, "this caller has used up its processor time of the hour")
}

// of needs mu.
func (a *Accounts) of(c policy.Caller) *account {
	name := c.String()
	one, ok := a.all[name]
	if !ok {
		forget(a.all, maxAccounts, func(one *account) (float64, bool) { return float64(one.seen.UnixNano()), true })
		one = &account{}
		a.all[name] = one
	}
	one.seen = a.now()
	return one
}

// age is the time that windows are told by: it never goes back.
func (a *Accounts) age() time.Duration { return a.now().Sub(a.begin) }
