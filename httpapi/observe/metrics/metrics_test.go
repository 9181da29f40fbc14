package metrics

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi"
	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	require.Equal(t, 200, w.Code, w.Body.String())
	return w.Body.String()
}

func TestWhatHappensIsCounted(t *testing.T) {
	program := observe.ProgramOf(policy.Request{Language: "py", Code: "print(1)"})
	forced := program
	forced.StartAsked = true
	ended := func(edit func(*policy.Result)) observe.Run {
		r := &policy.Result{Status: policy.Succeeded, Termination: policy.Termination{Reason: policy.ReasonCompleted}, Metrics: policy.Metrics{
			StartMode: "fork", QueueTimeMS: 1, StartTimeMS: 3, ExecutionTimeMS: 15, TotalTimeMS: 19, CPUUserMS: 1500, CPUSystemMS: 500,
		}}
		edit(r)
		return observe.Run{Origin: observe.Origin{Kind: observe.Sync}, Program: program, Result: r}
	}
	same := func(*policy.Result) {}
	for _, row := range []struct {
		name string
		do   func(*Metrics)
		want string
	}{
		{"a run", func(m *Metrics) { m.Ran(ended(same)) }, `safe_exec_runs_total{kind="sync",language="python",reason="completed",start_mode="fork",status="succeeded"} 1`},
		{"a phase", func(m *Metrics) { m.Ran(ended(same)) }, `safe_exec_run_seconds_bucket{language="python",phase="execution",le="0.02"} 1`},
		{"a phase that took longer than a bucket", func(m *Metrics) { m.Ran(ended(same)) }, `safe_exec_run_seconds_bucket{language="python",phase="execution",le="0.01"} 0`},
		{"processor time", func(m *Metrics) { m.Ran(ended(same)) }, `safe_exec_cpu_seconds_total{language="python"} 2`},
		{"a hit of the pool", func(m *Metrics) { m.Ran(ended(same)) }, `safe_exec_jails_total{source="template"} 1`},
		{"a spare", func(m *Metrics) { m.Ran(ended(func(r *policy.Result) { r.Metrics.StartMode = "warm" })) }, `safe_exec_jails_total{source="spare"} 1`},
		{"a miss", func(m *Metrics) { m.Ran(ended(func(r *policy.Result) { r.Metrics.StartMode = "cold" })) }, `safe_exec_jails_total{source="cold"} 1`},
		{"a start that was asked for", func(m *Metrics) { r := ended(same); r.Program = forced; m.Ran(r) }, `safe_exec_jails_total{source="asked"} 1`},
		{"denials", func(m *Metrics) {
			m.Ran(ended(func(r *policy.Result) { r.Denials = []policy.Denial{{Syscall: "socket", Count: 3}} }))
		}, `safe_exec_denials_total{syscall="socket"} 3`},
		{"a cut", func(m *Metrics) { m.Ran(ended(func(r *policy.Result) { r.StderrTruncated = true })) }, `safe_exec_truncated_total{stream="stderr"} 1`},
		{"files", func(m *Metrics) { m.Ran(ended(func(r *policy.Result) { r.Files = make([]policy.File, 2) })) }, `safe_exec_files_total{outcome="collected"} 2`},
		{"files that stayed behind", func(m *Metrics) {
			m.Ran(ended(func(r *policy.Result) { r.FilesSkipped = make([]policy.SkippedFile, 2) }))
		}, `safe_exec_files_total{outcome="skipped"} 2`},
		{"a failure", func(m *Metrics) { m.Ran(observe.Run{Origin: observe.Origin{Kind: observe.Job}, Err: errors.New("x")}) }, `safe_exec_runs_total{kind="job",language="other",reason="internal",start_mode="none",status="error"} 1`},
		{"a failure that has a name", func(m *Metrics) { m.Ran(observe.Run{Program: program, Err: &policy.Error{Code: policy.CodeSetup}}) }, `safe_exec_runs_total{kind="other",language="python",reason="setup_error",start_mode="none",status="error"} 1`},
		{"what its caller asked wrongly", func(m *Metrics) {
			m.Ran(observe.Run{Program: program, Err: fmt.Errorf("resolve: %w", &policy.Error{Code: policy.CodeTooLarge})})
		}, `safe_exec_runs_total{kind="other",language="python",reason="too_large",start_mode="none",status="refused"} 1`},
		{"what nobody had room for", func(m *Metrics) { m.Ran(observe.Run{Program: program, Err: &policy.Error{Code: policy.CodeBusy}}) }, `safe_exec_runs_total{kind="other",language="python",reason="busy",start_mode="none",status="refused"} 1`},
		{"a program with a syntax error that was checked, as one that was run", func(m *Metrics) {
			m.Ran(observe.Run{Program: program, Check: &policy.CheckResult{Termination: policy.Termination{Reason: policy.ReasonSyntaxError}}})
		}, `safe_exec_runs_total{kind="other",language="python",reason="syntax_error",start_mode="none",status="failed"} 1`},
		{"a check", func(m *Metrics) {
			m.Ran(observe.Run{Origin: observe.Origin{Kind: observe.Check}, Program: program, Check: &policy.CheckResult{WouldRun: true}})
		}, `safe_exec_runs_total{kind="check",language="python",reason="none",start_mode="none",status="succeeded"} 1`},
		{"a refusal", func(m *Metrics) { m.Refused("queue_full") }, `safe_exec_refused_total{reason="queue_full"} 1`},
		{"a problem", func(m *Metrics) { m.Problem(policy.CodeBusy) }, `safe_exec_problems_total{code="busy"} 1`},
		{"nothing yet", func(m *Metrics) {}, `safe_exec_problems_total{code="internal"} 0`},
		{"the build", func(m *Metrics) {}, `safe_exec_build_info{go_version="go1.`},
		{"this process", func(m *Metrics) {}, `process_open_fds `},
		{"a number that is none", func(m *Metrics) {
			m.Ran(ended(func(r *policy.Result) { r.Metrics.CPUUserMS, r.Metrics.ExecutionTimeMS = math.NaN(), -1 }))
		}, `safe_exec_cpu_seconds_total{language="python"} 0.5`},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := New(Config{Version: "1.0"})
			row.do(m)
			assert.Contains(t, scrape(t, m), "\n"+row.want)
		})
	}
}

func TestGaugesSayHowItStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // for a second of its own
		asked := 0
		var failure error
		m := New(Config{
			Describe: func() (httpapi.Description, error) {
				asked++
				return httpapi.Description{Posture: httpapi.Posture{
					Check: httpapi.PostureCheck{Held: true, Probes: 40, Unasked: "no space left on device", Time: time.Now().Add(-time.Minute)}, Quarantined: 2, Spares: 3, Templates: 4,
					Processes: []httpapi.Process{{Name: "executor", Starts: 1}, {Name: httpapi.BrokerProcess, Starts: 6}},
				}}, failure
			},
			Sync:   func() observe.Queue { return observe.Queue{Running: 1, Waiting: 2, Oldest: 1500 * time.Millisecond} },
			Jobs:   func() observe.Queue { return observe.Queue{Waiting: 7} },
			Ledger: func() Ledger { return Ledger{Records: 9, Lost: 1, Failing: true} },
			Ready:  func() error { return failure },
			Store:  func() error { return errors.New("full") },
		})
		text := scrape(t, m)
		for _, want := range []string{
			"posture_held 1", "posture_probes 40", "posture_age_seconds 6", "posture_unasked 1", "quarantined_leaves 2", "spares 3", "templates 4", "executor_answers 1",
			`running{kind="sync"} 1`, `queue_depth{kind="sync"} 2`, `queue_oldest_seconds{kind="sync"} 1.5`, `queue_depth{kind="job"} 7`,
			"ledger_writable 0", "ledger_records_total 9", "ledger_lost_total 1", "broker_restarts 5", "ready 1", "job_store_writable 0",
		} {
			assert.Contains(t, text, "\nsafe_exec_"+want)
		}
		scrape(t, m)
		assert.Equal(t, 1, asked, "asked again within a second")
		time.Sleep(time.Second) // of the bubble's clock, which goes on at once
		scrape(t, m)
		assert.Equal(t, 2, asked, "and after it")

		failure = errors.New("gone")
		m = New(Config{Describe: func() (httpapi.Description, error) { return httpapi.Description{}, failure }})
		text = scrape(t, m)
		assert.Contains(t, text, "\nsafe_exec_executor_answers 0")
		assert.NotContains(t, text, "posture_held 0", "what is not known is not said")
	})
}

// pairs finds the labels of a line.
var pairs = regexp.MustCompile(`([a-z_]+)="((?:[^"\\]|\\.)*)"`)

// Whatever is said in a request, by a program or by an error, no label's value comes
// of it, and the series stay as many.
func TestLabelsStayWithinClosedSets(t *testing.T) {
	sets := map[string]closed{
		"kind": kinds, "language": languages, "status": statuses, "reason": reasons, "start_mode": starts, "phase": phases, "syscall": calls,
		"stream": streams, "outcome": files, "code": codes, "source": sources,
	}
	m := New(Config{Version: "1.0"})
	for range 3000 {
		m.Ran(hostile())
		m.Refused(anything())
		m.Problem(policy.Code(anything()))
	}
	for line := range strings.Lines(scrape(t, m)) {
		if !strings.HasPrefix(line, "safe_exec_") || strings.HasPrefix(line, "safe_exec_build_info") {
			continue
		}
		for _, p := range pairs.FindAllStringSubmatch(line, -1) {
			label, value := p[1], p[2]
			set := sets[label]
			if strings.HasPrefix(line, "safe_exec_refused_total") {
				set = refused
			}
			if label != "le" {
				require.NotNil(t, set, "the label %s has no closed set", label)
				require.Contains(t, set.values(), value, "%s", label)
			}
		}
	}
}

// anything is a text that a caller may choose: hostile, long, not UTF-8, or one that
// is ours.
func anything() string {
	switch rand.IntN(4) {
	case 0:
		all := append(append(calls.values(), reasons.values()...), refused.values()...)
		return all[rand.IntN(len(all))]
	case 1:
		return []string{"", "other\"} 1\nsafe_exec_forged 1\n", "uid 1000", "/etc/passwd", "\x00\xff", "SUCCEEDED", "python\n", "socket "}[rand.IntN(8)]
	}
	text := make([]byte, rand.IntN(40))
	for i := range text {
		text[i] = byte(rand.IntN(256))
	}
	return string(text)
}

func hostile() observe.Run {
	r := observe.Run{
		Origin: observe.Origin{Kind: observe.Kind(anything()), RequestID: anything(), TraceID: anything(), JobID: anything()},
		Caller: policy.Caller{Token: anything()}, ProfileDigest: anything(),
		Program: observe.ProgramOf(policy.Request{Language: anything(), Code: anything(), StartMode: anything()}),
		Err:     errors.New(anything()),
	}
	if rand.IntN(2) == 0 {
		r.Program.Language = anything()
	}
	switch rand.IntN(3) {
	case 0:
		r.Result = &policy.Result{
			Status: policy.Status(anything()), ExecutionID: anything(), Stdout: anything(), Policy: anything(), PolicyDeny: []string{anything()},
			Termination: policy.Termination{Reason: policy.Reason(anything()), Signal: anything()}, Metrics: policy.Metrics{StartMode: anything()},
			Denials: []policy.Denial{{Syscall: anything(), Count: rand.Int64() - math.MaxInt64/2}}, Files: []policy.File{{Path: anything()}},
		}
	case 1:
		r.Check = &policy.CheckResult{Termination: policy.Termination{Reason: policy.Reason(anything())}, Metrics: policy.Metrics{StartMode: anything()}}
	}
	return r
}

func TestTheListOfCallsIsTheKernels(t *testing.T) {
	cmd := exec.Command("gcc", "-dM", "-E", "-include", "asm/unistd_64.h", "-x", "c", "/dev/null")
	out, err := cmd.Output()
	require.NoError(t, err)
	found := 0
	for line := range bytes.Lines(out) {
		fields := strings.Fields(string(line))
		if name, ok := strings.CutPrefix(fields[1], "__NR_"); ok && len(fields) == 3 {
			found++
			assert.Equal(t, name, calls.of(name))
		}
	}
	assert.Greater(t, found, 300)
}

// A status, reason or code that is added to the vocabulary must not be counted as
// other.
func TestTheSetsHoldTheWholeVocabulary(t *testing.T) {
	packages, err := filepath.Glob("../../../policy/*.go")
	require.NoError(t, err)
	found := 0
	for _, path := range packages {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Type == nil || len(spec.Values) != 1 {
				return true
			}
			kind, _ := spec.Type.(*ast.Ident)
			set := map[string]closed{"Status": statuses, "Reason": reasons, "Code": codes, "Language": languages}[fmt.Sprint(kind)]
			literal, ok := spec.Values[0].(*ast.BasicLit)
			if value := spec.Names[0].Name; set != nil && ok && value != "Queued" && value != "Running" { // those two are no ends
				text, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				assert.Equal(t, text, set.of(text), "policy.%s", value)
				found++
			}
			return true
		})
	}
	assert.Greater(t, found, 30)
}
