package ledger

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// aRun is a run that ended well.
func aRun(i int) observe.Run {
	code := 0
	return observe.Run{
		Origin: observe.Origin{Kind: observe.Sync, RequestID: fmt.Sprintf("req_%d", i)}, Caller: policy.Caller{Local: true, UID: 1000},
		Program:  observe.ProgramOf(policy.Request{Language: "python", Code: fmt.Sprint("print(", i, ")")}),
		Finished: time.Now(),
		Result: &policy.Result{
			Status: policy.Succeeded, ExecutionID: "ex_1", Stdout: "hello", ExitCode: &code, Policy: "strict",
			LimitsApplied: policy.Limits{TimeoutMS: 5000}, Termination: policy.Termination{Reason: policy.ReasonCompleted}, Metrics: policy.Metrics{StdoutBytes: 5, StartMode: "fork"},
		},
	}
}

func open(t testing.TB, dir string, edit func(*Config)) *Ledger {
	t.Helper()
	cfg := Config{Dir: dir, Version: "1.0", Kernel: "6.18"}
	if edit != nil {
		edit(&cfg)
	}
	l, err := Open(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func small(c *Config) { c.MaxBytes = 4 << 10 }

// written is a closed ledger of n runs.
func written(t testing.TB, n int, edit func(*Config)) (dir string) {
	t.Helper()
	dir = t.TempDir()
	l := open(t, dir, edit)
	for i := range n {
		require.NoError(t, l.Append(aRun(i)))
	}
	require.NoError(t, l.Close())
	return dir
}

func TestWhatIsWrittenVerifies(t *testing.T) {
	for _, row := range []struct {
		name string
		runs int
		edit func(*Config)
	}{
		{"nothing but the start", 0, nil},
		{"one file", 20, nil},
		{"many files", 100, small},
		{"a file for each record", 10, func(c *Config) { c.MaxBytes = 1; c.Keep = 100 }},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := written(t, row.runs, row.edit)
			runs := 0
			s, err := Verify(dir, nil, func(r Record) {
				if r.Run != nil {
					runs++
				}
			})
			require.NoError(t, err)
			assert.Equal(t, row.runs, runs)
			assert.EqualValues(t, 1, s.First)
			assert.EqualValues(t, 1, s.Starts)
			assert.Zero(t, s.BeyondHead)
			assert.Zero(t, s.Unfinished)
		})
	}
}

// Numbers and hashes say what came after what; the wall clock says only what it said.
func TestAClockThatJumpsBreaksNoChain(t *testing.T) {
	dir := t.TempDir()
	at := time.Now()
	for _, jump := range []time.Duration{0, -48 * time.Hour, 1000 * time.Hour, -100 * 365 * 24 * time.Hour} {
		l := open(t, dir, small) // and across a start
		for i := range 20 {
			r := aRun(i)
			r.Finished = at.Add(jump - time.Duration(i)*time.Hour)
			require.NoError(t, l.Append(r))
		}
		require.NoError(t, l.Close())
	}
	runs := 0
	s, err := Verify(dir, nil, func(r Record) {
		if r.Run != nil {
			runs++
		}
	})
	require.NoError(t, err)
	assert.Equal(t, 80, runs)
	assert.EqualValues(t, 4, s.Starts)
}

func TestARecordSaysWhatIsKnownOfARun(t *testing.T) {
	for _, row := range []struct {
		name string
		run  observe.Run
		want string
	}{
		{"a verdict", aRun(1), `"kind":"sync","request_id":"req_1","execution_id":"ex_1","language":"python","code_sha256":"`},
		{"its output by size and hash", aRun(1), `"stdout":{"bytes":5,"kept":5,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}`},
		{"who", observe.Run{Caller: policy.Caller{Token: "ci"}}, `"who":"token ci"`},
		{"our failure, with its step", observe.Run{Err: &policy.Error{Code: policy.CodeSetup, Step: "pivot"}}, `"status":"error","code":"setup_error","step":"pivot"`},
		{"any other failure", observe.Run{Err: errors.New("x")}, `"status":"error","code":"internal"`},
		{"a check that would run", observe.Run{Check: &policy.CheckResult{WouldRun: true}}, `"status":"succeeded"`},
		{"a check that would not", observe.Run{Check: &policy.CheckResult{Termination: policy.Termination{Reason: policy.ReasonSyntaxError}}}, `"status":"failed","reason":"syntax_error"`},
		{"what was refused, with its code", observe.Run{Err: &policy.Error{Code: policy.CodeTooLarge}}, `"status":"refused","code":"too_large"`},
		{"a number that JSON has not", observe.Run{Result: &policy.Result{Metrics: policy.Metrics{CPUUserMS: math.NaN()}}}, `"cpu_user_ms":-1`},
		{"a time that JSON has not", observe.Run{Finished: time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)}, fmt.Sprintf(`"time":"%d-`, time.Now().UTC().Year())},
		{"layers that an operator does without", observe.Run{Result: &policy.Result{Layers: []policy.Layer{{Name: "a", State: "enforced"}, {Name: "b", State: "missing"}}}}, `"layers_missing":["b"]`},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			l := open(t, dir, nil)
			require.NoError(t, l.Append(row.run))
			require.NoError(t, l.Close())
			assert.Contains(t, text(t, dir, 1), row.want)
			_, err := Verify(dir, nil, nil)
			assert.NoError(t, err)
		})
	}
}

func TestTheLongestRecordIsALine(t *testing.T) {
	long := strings.Repeat("\x00", 10*maxText)
	r := aRun(1)
	r.RequestID, r.TraceID, r.JobID, r.Caller = long, long, long, policy.Caller{Token: long}
	r.Kind, r.PolicyDigest, r.ProfileDigest = observe.Kind(long), long, long
	r.Program = observe.Program{Language: long, CodeSHA256: long, InputSHA256: long}
	for range 2 * maxList {
		r.Result.PolicyDeny = append(r.Result.PolicyDeny, long)
		r.Result.Denials = append(r.Result.Denials, policy.Denial{Syscall: long, Count: math.MaxInt64})
		r.Result.Layers = append(r.Result.Layers, policy.Layer{Name: long})
	}
	r.Result.Status, r.Result.Termination.Reason, r.Result.Policy, r.Result.ExecutionID = policy.Status(long), policy.Reason(long), long, long
	r.Result.Metrics.StartMode = long
	dir := t.TempDir()
	l := open(t, dir, nil)
	require.NoError(t, l.Append(r))
	require.NoError(t, l.Close())
	_, err := Verify(dir, nil, nil)
	assert.NoError(t, err)
}

func TestManyAppendAtOnce(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, func(c *Config) { c.MaxBytes, c.Keep = 64<<10, 1000 })
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 50 {
				assert.NoError(t, l.Append(aRun(i*50+j)))
			}
		})
	}
	wg.Wait()
	live, err := Verify(dir, nil, nil)
	require.NoError(t, err, "a ledger that is being written verifies")
	assert.EqualValues(t, 801, live.Records)
	require.NoError(t, l.Close())
	seen := map[string]bool{}
	_, err = Verify(dir, nil, func(r Record) {
		if r.Run != nil {
			seen[r.Run.RequestID] = true
		}
	})
	require.NoError(t, err)
	assert.Len(t, seen, 800)
	assert.ErrorIs(t, l.Append(aRun(0)), ErrClosed)
	assert.EqualValues(t, 800, l.Stats().Records)
}

func TestTheHeadFollows(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, func(c *Config) { c.SyncEvery = time.Millisecond })
	require.NoError(t, l.Append(aRun(1)))
	require.Eventually(t, func() bool {
		h, err := readHead(dir)
		return err == nil && h.Point == l.Stats().Last && h.Seq == 2 && !h.Closed
	}, 10*time.Second, time.Millisecond)
}

func TestRetentionIsToldFromAGap(t *testing.T) {
	keepThree := func(c *Config) { c.MaxBytes, c.Keep = 4<<10, 3 }
	dir := written(t, 100, keepThree)
	s, err := Verify(dir, nil, nil)
	require.NoError(t, err)
	assert.Equal(t, 3, s.Files)
	assert.Greater(t, s.First, uint64(50))
	_, err = Verify(dir, &Point{1, origin}, nil)
	assert.ErrorContains(t, err, "was dropped")

	// It goes on after a restart, and one more file that is taken away is a gap.
	l := open(t, dir, keepThree)
	require.NoError(t, l.Append(aRun(1)))
	require.NoError(t, l.Close())
	_, err = Verify(dir, nil, nil)
	require.NoError(t, err)
	list, err := segments(dir)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, list[0].name)))
	_, err = Verify(dir, nil, nil)
	var broken *Broken
	require.ErrorAs(t, err, &broken)
	assert.Equal(t, Gap, broken.How)
}

func TestOneProcessWrites(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, nil)
	_, err := Open(Config{Dir: dir})
	assert.ErrorIs(t, err, syscall.EWOULDBLOCK)
	require.NoError(t, l.Close())
	open(t, dir, nil)
}

func TestAnUnboundedConfigurationIsRefused(t *testing.T) {
	for name, cfg := range map[string]Config{
		"a negative size": {MaxBytes: -1}, "one file": {Keep: 1}, "a negative time": {SyncEvery: -1},
	} {
		cfg.Dir = t.TempDir()
		_, err := Open(cfg)
		assert.Error(t, err, name)
	}
}

// text is a line of the first file, from 0.
func text(t testing.TB, dir string, line int) string {
	t.Helper()
	return lines(t, filepath.Join(dir, segmentFor(1).name))[line]
}

func lines(t testing.TB, path string) []string {
	t.Helper()
	all, err := os.ReadFile(path)
	require.NoError(t, err)
	return slices.Collect(strings.Lines(string(all)))
}
