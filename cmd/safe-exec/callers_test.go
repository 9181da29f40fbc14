package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi"
	"safe-exec/policy"
)

func processOf(uid, gid uint32) policy.Caller { return policy.Caller{Local: true, UID: uid, GID: gid} }

func TestTheFirstCallerThatFitsDecides(t *testing.T) {
	c, err := parseConfig([]byte(`
callers:
- {uid: 7, level: strict}
- {gid: 9, level: standard}
- {uid: 8, level: relaxed}
- {token: ci, level: strict}
- {uid: 11, allow: false}
others: {level: standard}
`))
	require.NoError(t, err)
	for _, row := range []struct {
		name string
		who  policy.Caller
		want string
	}{
		{"by uid", processOf(7, 1), "strict"},
		{"by gid", processOf(1, 9), "standard"},
		{"a uid ahead of a gid", processOf(7, 9), "strict"},
		{"a gid ahead of a uid", processOf(8, 9), "standard"},
		{"who is nobody's is one of the others", processOf(1, 1), "standard"},
		{"root is somebody like others", processOf(0, 0), "standard"},
		{"by token", policy.Caller{Token: "ci"}, "strict"},
		{"another token is one of the others", policy.Caller{Token: "7"}, "standard"},
		{"a token is no process of uid and gid 0", policy.Caller{Token: "x"}, "standard"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, _, err := c.ceilings(row.who)
			require.NoError(t, err)
			assert.Equal(t, row.want, got)
		})
	}
}

func TestWhoMayCall(t *testing.T) {
	for _, row := range []struct {
		name, text string
		who        policy.Caller
		may        bool
	}{
		{"everybody, without a word", "", processOf(1, 1), true},
		{"a token, without a word", "", policy.Caller{Token: "a"}, true},
		{"nobody is nobody", "", policy.Caller{}, false},
		{"who is kept out", "callers: [{uid: 1, allow: false}]", processOf(1, 1), false},
		{"another than who is kept out", "callers: [{uid: 1, allow: false}]", processOf(2, 1), true},
		{"a token that is kept out", "callers: [{token: a, allow: false}]", policy.Caller{Token: "a"}, false},
		{"none of the others", "others: {allow: false}", processOf(1, 1), false},
		{"no token of the others", "others: {allow: false}", policy.Caller{Token: "a"}, false},
		{"one of the list", "callers: [{uid: 1}]\nothers: {allow: false}", processOf(1, 1), true},
		{"root in any case", "others: {allow: false}", processOf(0, 0), true},
		{"root in a group that is kept out", "callers: [{gid: 5, allow: false}]", processOf(0, 5), true},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := parseConfig([]byte(row.text))
			require.NoError(t, err)
			_, _, forExecutor := c.ceilings(row.who)
			_, forBroker := c.allowance(row.who)
			if row.may {
				assert.NoError(t, forExecutor)
				assert.NoError(t, forBroker)
				return
			}
			var e *policy.Error
			require.ErrorAs(t, forExecutor, &e)
			assert.Equal(t, policy.CodeForbidden, e.Code)
			assert.Equal(t, forExecutor, forBroker)
		})
	}
}

func TestWhatACallerMayHave(t *testing.T) {
	c, err := parseConfig([]byte(`
callers:
- {uid: 1, level: strict, limits: {timeout_ms: 10000, max_memory_mb: 512}, runs: 4, waiting: 8, jobs_queued: 100, jobs_runs: 6, rate: 600, cpu_seconds_per_hour: 3600, weight: 2}
others: {runs: 1}
`))
	require.NoError(t, err)
	timeout, memory := int64(10000), int64(512)
	limits := policy.LimitsRequest{TimeoutMS: &timeout, MaxMemoryMB: &memory}
	got, err := c.allowance(processOf(1, 1))
	require.NoError(t, err)
	assert.Equal(t, httpapi.Allowance{
		Level: "strict", Limits: limits, Runs: 4, Waiting: 8, JobsQueued: 100, JobRuns: 6,
		RatePerMinute: 600, Burst: 60, CPUSecondsPerHour: 3600, Weight: 2,
	}, got)
	_, held, err := c.ceilings(processOf(1, 1))
	require.NoError(t, err)
	assert.Equal(t, limits, held, "the executor holds it to the same")
	req := policy.Request{Caller: processOf(1, 1), Weight: 900}
	require.NoError(t, c.authorize(&req, nil))
	assert.Equal(t, 2, req.Weight, "and takes nobody's word but the operator's for what it weighs")
	got, err = c.allowance(processOf(2, 1))
	require.NoError(t, err)
	assert.Equal(t, httpapi.Allowance{Runs: 1}, got, "what is not said is the daemon's default")
}
