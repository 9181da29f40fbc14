package httpapi

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// clock is a time that passes when it is told to.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

var somebody = policy.Caller{Local: true, UID: 7}

func TestRequestsOfACallerAreRationed(t *testing.T) {
	c := &clock{time.Unix(1e9, 0)}
	a := newAccounts(c.now)
	allowed := Allowance{RatePerMinute: 6, Burst: 2}
	require.NoError(t, a.request(somebody, allowed))
	require.NoError(t, a.request(somebody, allowed))
	for range 3 { // refused ones do not put it off
		p := ProblemOf(a.request(somebody, allowed))
		assert.Equal(t, string(BusyCallerRate), p.Reason)
		assert.EqualValues(t, 10, p.RetryAfter)
	}
	assert.NoError(t, a.request(policy.Caller{Local: true, UID: 8}, allowed), "another is not touched")
	assert.NoError(t, a.request(policy.Caller{Token: "7"}, allowed), "nor one who has the same name in another way")
	c.t = c.t.Add(9 * time.Second)
	assert.EqualValues(t, 1, ProblemOf(a.request(somebody, allowed)).RetryAfter)
	c.t = c.t.Add(time.Second)
	assert.NoError(t, a.request(somebody, allowed), "after what it was told to wait")
}

func TestProcessorTimeOfAnHourIsRationed(t *testing.T) {
	c := &clock{time.Unix(1e9, 0)}
	a := newAccounts(c.now)
	allowed := Allowance{CPUSecondsPerHour: 10}
	run := a.Metered(executorFunc(func(context.Context, policy.Request) (*policy.Result, error) {
		return &policy.Result{Metrics: policy.Metrics{CPUUserMS: 4000, CPUSystemMS: 1000}}, nil
	}))
	for range 2 {
		require.NoError(t, a.mayRun(somebody, allowed))
		_, err := run.Execute(context.Background(), policy.Request{Caller: somebody})
		require.NoError(t, err)
		c.t = c.t.Add(10 * time.Minute)
	}
	p := ProblemOf(a.mayRun(somebody, allowed))
	assert.Equal(t, string(BusyCallerCPU), p.Reason)
	assert.EqualValues(t, 45*60, p.RetryAfter, "an hour after the end of the first run's five minutes")
	assert.NoError(t, a.mayRun(policy.Caller{Token: "other"}, allowed))
	c.t = c.t.Add(time.Duration(p.RetryAfter)*time.Second - time.Nanosecond)
	assert.Error(t, a.mayRun(somebody, allowed))
	c.t = c.t.Add(time.Nanosecond)
	assert.NoError(t, a.mayRun(somebody, allowed))
}

// However it was used, an hour never holds more than the window shows, the wait
// that is told is enough, and a nanosecond less is not.
func TestAWindowForgetsNothingTooEarly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	waited := 0
	for range 300 {
		var w window
		type use struct {
			at     time.Duration
			amount float64
		}
		var uses []use
		now := time.Duration(0)
		for range 60 {
			now += time.Duration(r.Int64N(int64(20 * time.Minute)))
			if r.IntN(20) == 0 {
				now += time.Duration(r.Int64N(int64(5 * time.Hour)))
			}
			uses = append(uses, use{now, 1})
			w.add(now, 1)
			real := 0.0
			for _, u := range uses {
				if now-u.at < time.Hour {
					real += u.amount
				}
			}
			most := float64(1 + r.IntN(8))
			after := w.wait(now, most)
			if after == 0 {
				require.Less(t, real, most)
				continue
			}
			waited++
			require.LessOrEqual(t, after, time.Hour+windowStep)
			later, early := w, w
			require.Zero(t, later.wait(now+after, most))
			require.Positive(t, early.wait(now+after-1, most))
		}
	}
	assert.Greater(t, waited, 1000)
}

func TestAllowancesAreNeverUnlimited(t *testing.T) {
	cfg, err := Config{Executor: executorFunc(echo), Slots: 8, JobSlots: 4, Waiting: 64}.withDefaults()
	require.NoError(t, err)
	usual := Allowance{}.withDefaults(cfg)
	assert.Equal(t, Allowance{
		Runs: 6, Waiting: 64, JobsQueued: 16, JobRuns: 3, RatePerMinute: 60000, Burst: 6000, CPUSecondsPerHour: 12 * 3600, Weight: 1,
	}, usual)
	inf := func() float64 { var zero float64; return 1 / zero }()
	for _, row := range []struct {
		name string
		in   Allowance
		want Allowance
	}{
		{"what is negative is the default", Allowance{Runs: -1, Waiting: -1, JobsQueued: -1, JobRuns: -1, RatePerMinute: -1, Burst: -1, CPUSecondsPerHour: -1, Weight: -1}, usual},
		{"what is no number is the default", Allowance{RatePerMinute: inf - inf, CPUSecondsPerHour: inf, Weight: inf}, usual},
		{"more than there is cannot be promised", Allowance{Runs: 99, Waiting: 99, JobsQueued: 999, JobRuns: 99}, func() Allowance { a := usual; a.Runs, a.JobsQueued, a.JobRuns = 8, 64, 4; return a }()},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, row.in.withDefaults(cfg)) })
	}
	assert.Equal(t, 1.0, Allowance{RatePerMinute: 3}.withDefaults(cfg).Burst, "one may always be sent")
}

// The whole way: who may not call, what he may ask for, how often, and for how
// long a time of the processor.
func TestTheServerHoldsACallerToItsAllowance(t *testing.T) {
	second := int64(1000)
	for _, row := range []struct {
		name    string
		allowed Allowance
		err     error
		sends   int // the last reply is looked at
		status  int
		reason  BusyReason
	}{
		{"who may not call", Allowance{}, &policy.Error{Code: policy.CodeForbidden, Message: "no"}, 1, 403, ""},
		{"who has everything", Allowance{}, nil, 3, 200, ""},
		{"one request too many", Allowance{RatePerMinute: 1, Burst: 2}, nil, 3, 429, BusyCallerRate},
		{"all its processor time used", Allowance{CPUSecondsPerHour: 2}, nil, 3, 429, BusyCallerCPU},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got policy.Request
			row.allowed.Limits.TimeoutMS, row.allowed.Level = &second, "tiny"
			d := start(t, Config{Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) {
				got = r
				result, err := echo(ctx, r)
				result.Metrics.CPUUserMS = 1000
				return result, err
			}), Callers: func(policy.Caller) (Allowance, error) { return row.allowed, row.err }})
			var last reply
			for range row.sends {
				last = d.do("POST", runPath, hello)
			}
			require.Equal(t, row.status, last.StatusCode, last.body)
			if row.reason != "" {
				assert.Equal(t, string(row.reason), last.problem(t).Reason)
				assert.NotEmpty(t, last.Header.Get("Retry-After"))
			}
			if row.status == 200 {
				assert.Equal(t, "tiny", got.Ceiling)
				assert.Equal(t, &second, got.CeilingLimits.TimeoutMS)
			}
		})
	}
}

func TestJobsAreChargedToWhoSentThem(t *testing.T) {
	d := start(t, Config{
		Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) {
			result, err := echo(ctx, r)
			result.Metrics.CPUSystemMS = 1500
			return result, err
		}),
		Callers: func(policy.Caller) (Allowance, error) { return Allowance{CPUSecondsPerHour: 1}, nil },
	})
	var job Submitted
	decode(t, d.do("POST", asyncPath, hello), &job)
	assert.Equal(t, 200, d.do("GET", jobPrefix+job.JobID+"?wait=10s", "").StatusCode)
	for _, path := range []string{runPath, asyncPath} {
		refused := d.do("POST", path, hello)
		require.Equal(t, 429, refused.StatusCode, path)
		assert.Equal(t, string(BusyCallerCPU), refused.problem(t).Reason)
	}
	assert.Equal(t, 200, d.do("GET", jobPrefix+job.JobID, "").StatusCode, "what it has it may look at")
}

func TestDocumentKnowsEveryReasonToBeBusy(t *testing.T) {
	var all []any
	for _, r := range BusyReasons() {
		all = append(all, string(r))
	}
	assert.ElementsMatch(t, all, dig(document(t), "components", "schemas", "Problem", "properties", "reason", "enum"))
}
