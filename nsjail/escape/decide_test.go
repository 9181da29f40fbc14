package escape

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

func result(status policy.Status, reason policy.Reason, change ...func(*policy.Result)) *policy.Result {
	r := &policy.Result{Status: status, Termination: policy.Termination{Reason: reason}}
	for _, c := range change {
		c(r)
	}
	return r
}

func says(text string) func(*policy.Result) { return func(r *policy.Result) { r.Stdout += text } }

func exits(code int) func(*policy.Result) { return func(r *policy.Result) { r.ExitCode = &code } }

func TestDecide(t *testing.T) {
	const (
		winning = "\nPROBE {\"won\": true, \"proof\": \"canary\"}\n"
		losing  = "\nPROBE {\"won\": false, \"proof\": \"EPERM\"}\n"
		reach   = "\nPROBE {\"reached\": true, \"proof\": \"the builtin open\"}\n"
	)
	refused := func(r *policy.Result) {
		r.Violations = []policy.Violation{{Rule: "import_blocked", Name: "os"}}
	}
	attack := Probe{Language: policy.Python}
	innocent := Probe{Language: policy.Python, Innocent: true}
	limit := Probe{Verdict: policy.ReasonMemoryLimit}
	forgery := Probe{Verdict: policy.ReasonExitNonzero, expect: []demand{{"exit_code", "137"}}}
	import_ := Probe{Verdict: policy.ReasonImportDenied}
	slow := Probe{Verdict: policy.ReasonWallTimeout, Within: time.Second}
	took := func(ms float64) func(*policy.Result) {
		return func(r *policy.Result) {
			r.Metrics = policy.Metrics{TotalTimeMS: ms + 500, StartTimeMS: 300, QueueTimeMS: 200}
		}
	}
	for _, row := range []struct {
		name  string
		probe Probe
		r     *policy.Result
		want  Verdict
	}{
		{"an attack that reports its prize has escaped", attack, result(policy.Succeeded, policy.ReasonCompleted, says(winning)), Escaped},
		{"an attack that reports its prize and then dies has escaped", attack, result(policy.Failed, policy.ReasonSignal, says(winning)), Escaped},
		{"an attack that fails one way and wins another has escaped", attack, result(policy.Succeeded, policy.ReasonCompleted, says(losing+winning)), Escaped},
		{"an attack that reports a refusal is held", attack, result(policy.Succeeded, policy.ReasonCompleted, says(losing)), Held},
		{"an attack that is killed is killed", attack, result(policy.Failed, policy.ReasonSyscallDenied), Killed},
		{"an attack that says nothing proves nothing", attack, result(policy.Succeeded, policy.ReasonCompleted), Broken},
		{"an attack that fails by an error of its own proves nothing", attack, result(policy.Failed, policy.ReasonException), Broken},
		{"an attack with a wrong syntax proves nothing", attack, result(policy.Failed, policy.ReasonSyntaxError), Broken},
		{"an attack whose finding is no JSON proves nothing", attack, result(policy.Succeeded, policy.ReasonCompleted, says("PROBE {")), Broken},
		{"a program that the policy rejects does not reach the kernel", attack, result(policy.Rejected, policy.ReasonPolicyViolation, refused), NotReached},
		{"an attack that the policy ends while it runs does not reach the kernel", attack, result(policy.Failed, policy.ReasonPolicyViolation), NotReached},
		{"an attack that has its prize when the policy ends it has escaped", attack, result(policy.Failed, policy.ReasonPolicyViolation, says(winning)), Escaped},
		{"an import that the policy denies does not reach the kernel", attack, result(policy.Failed, policy.ReasonImportDenied), NotReached},

		{"a limit that is named is killed", limit, result(policy.Failed, policy.ReasonMemoryLimit), Killed},
		{"a limit that is passed has escaped", limit, result(policy.Succeeded, policy.ReasonCompleted, says(winning)), Escaped},
		{"a limit that is told as another has escaped", limit, result(policy.Failed, policy.ReasonSignal), Escaped},
		{"an answer in time is in time", slow, result(policy.TimedOut, policy.ReasonWallTimeout, took(900)), Killed},
		{"an answer that comes late has escaped", slow, result(policy.TimedOut, policy.ReasonWallTimeout, took(1100)), Escaped},

		{"a forgery that is told as what it is is held", forgery, result(policy.Failed, policy.ReasonExitNonzero, says(winning), exits(137)), Held},
		{"a forgery that is believed has escaped", forgery, result(policy.Failed, policy.ReasonMemoryLimit, says(winning), exits(137)), Escaped},
		{"a forgery with another exit code has escaped", forgery, result(policy.Failed, policy.ReasonExitNonzero, says(winning), exits(1)), Escaped},
		{"a forgery without an exit code has escaped", forgery, result(policy.Failed, policy.ReasonExitNonzero, says(winning)), Escaped},
		{"a forgery that never made its claim proves nothing", forgery, result(policy.Failed, policy.ReasonExitNonzero, exits(137)), Broken},
		{"a forgery that the policy rejects does not reach the verdict", forgery, result(policy.Rejected, policy.ReasonPolicyViolation, refused), NotReached},
		{"a claim of a denied import is told as one", import_, result(policy.Failed, policy.ReasonImportDenied, says(winning)), Held},

		{"an innocent that works works", innocent, result(policy.Succeeded, policy.ReasonCompleted, says(winning)), Works},
		{"an innocent that is rejected is refused", innocent, result(policy.Rejected, policy.ReasonPolicyViolation, refused), Refused},
		{"an innocent that finds a wrong result is refused", innocent, result(policy.Succeeded, policy.ReasonCompleted, says(losing)), Refused},
		{"an innocent that works and then fails is refused", innocent, result(policy.Failed, policy.ReasonSignal, says(winning)), Refused},
		{"an innocent that says nothing is refused", innocent, result(policy.Succeeded, policy.ReasonCompleted), Refused},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, evidence := decide(row.probe, row.r, false)
			assert.Equal(t, row.want, got, evidence)
		})
	}

	asks := Probe{Language: policy.Python, Family: "A", Layers: []string{"policy", "landlock"}}
	kernel := Probe{Language: policy.Python, Family: "A", Layers: []string{"landlock"}}
	other := Probe{Language: policy.Python, Family: "C1", Layers: []string{"policy", "landlock"}}
	for _, row := range []struct {
		name       string
		probe      Probe
		restricted bool
		r          *policy.Result
		want       Verdict
	}{
		{"an object that a restricted program reached is a fall of the policy", asks, true, result(policy.Succeeded, policy.ReasonCompleted, says(reach+losing)), Passed},
		{"an object that was reached before the program was ended is one too", asks, true, result(policy.Failed, policy.ReasonPolicyViolation, says(reach)), Passed},
		{"an object that was reached before a denied import is one too", asks, true, result(policy.Failed, policy.ReasonImportDenied, says(reach)), Passed},
		{"an object that was reached before a crash is one too", asks, true, result(policy.Failed, policy.ReasonException, says(losing+reach)), Passed},
		{"an object that was used with success is an escape", asks, true, result(policy.Succeeded, policy.ReasonCompleted, says(reach+winning)), Escaped},
		{"a restricted program that reached nothing is held", asks, true, result(policy.Succeeded, policy.ReasonCompleted, says(losing)), Held},
		{"without a policy the kernel may hold what was reached", asks, false, result(policy.Succeeded, policy.ReasonCompleted, says(reach+losing)), Held},
		{"without a policy what was reached and ended by the filter is killed", asks, false, result(policy.Failed, policy.ReasonSyscallDenied, says(reach)), Killed},
		{"reaching without an answer proves nothing", asks, false, result(policy.Succeeded, policy.ReasonCompleted, says(reach)), Broken},
		{"a technique that the policy is not asked to stop may reach", kernel, true, result(policy.Succeeded, policy.ReasonCompleted, says(reach+losing)), Held},
		{"a technique of the kernel's families may reach", other, true, result(policy.Succeeded, policy.ReasonCompleted, says(reach+losing)), Held},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, evidence := decide(row.probe, row.r, row.restricted)
			assert.Equal(t, row.want, got, evidence)
		})
	}
}

func TestVerdictsToHopeFor(t *testing.T) {
	for _, v := range []Verdict{Held, Killed, NotReached, Works} {
		assert.True(t, v.Good(), v)
	}
	for _, v := range []Verdict{Escaped, Passed, Broken, Refused, ""} {
		assert.False(t, v.Good(), v)
	}
}

func TestAnswersThatCannotBePassedOn(t *testing.T) {
	assert.Empty(t, malformed(&policy.Result{Stdout: "é", ResultJSON: json.RawMessage(`{"a":1}`)}))
	assert.NotEmpty(t, malformed(&policy.Result{Stdout: "\xff"}))
	assert.NotEmpty(t, malformed(&policy.Result{Stderr: "\xed\xa0\x80"}))
	assert.NotEmpty(t, malformed(&policy.Result{ResultJSON: json.RawMessage(`NaN`)}))
}

func TestHostHasMoreThanBefore(t *testing.T) {
	before := Host{Processes: 2, Mounts: 3, Leaves: 4, FDs: 5, Keys: 6}
	assert.Empty(t, before.more(before))
	assert.Empty(t, Host{}.more(before), "less is no harm")
	for name, after := range map[string]Host{
		"processes":     {Processes: 3, Mounts: 3, Leaves: 4, FDs: 5, Keys: 6},
		"mounts":        {Processes: 2, Mounts: 4, Leaves: 4, FDs: 5, Keys: 6},
		"cgroup leaves": {Processes: 2, Mounts: 3, Leaves: 5, FDs: 5, Keys: 6},
		"descriptors":   {Processes: 2, Mounts: 3, Leaves: 4, FDs: 6, Keys: 6},
		"key users":     {Processes: 2, Mounts: 3, Leaves: 4, FDs: 5, Keys: 7},
	} {
		assert.Contains(t, after.more(before), name)
	}
}
