package observe_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/ledger"
	"safe-exec/httpapi/observe"
	"safe-exec/httpapi/observe/metrics"
	"safe-exec/policy"
)

// answers stands where jails do: what is told of them is under test.
type answers struct {
	result  *policy.Result
	checked *policy.CheckResult
	err     error
	crash   any
}

func (a answers) Execute(context.Context, policy.Request) (*policy.Result, error) {
	if a.crash != nil {
		panic(a.crash)
	}
	return a.result, a.err
}

func (a answers) CheckProgram(context.Context, policy.Request) (*policy.CheckResult, error) {
	return a.checked, a.err
}

// heard keeps what an observer hears.
type heard struct {
	observe.Nothing
	runs []observe.Run
}

func (h *heard) Ran(r observe.Run) { h.runs = append(h.runs, r) }

func TestEachRunIsToldOnceWithWhereItComesFrom(t *testing.T) {
	request := policy.Request{Language: "js", Code: "1", Caller: policy.Caller{Local: true, UID: 7}}
	ctx := observe.With(context.Background(), observe.Origin{Kind: observe.Job, JobID: "job_1", Attempt: 2, Waited: time.Hour})
	for _, row := range []struct {
		name string
		next answers
		run  func(observe.Executor)
		want func(*testing.T, observe.Run)
	}{
		{"a verdict", answers{result: &policy.Result{Policy: "strict"}}, func(e observe.Executor) { _, _ = e.Execute(ctx, request) },
			func(t *testing.T, r observe.Run) {
				assert.NotNil(t, r.Result)
				assert.Equal(t, observe.Job, r.Kind)
				assert.Equal(t, "javascript", r.Profile)
				assert.Equal(t, "level strict", r.PolicyDigest)
			}},
		{"a failure", answers{err: errors.New("x")}, func(e observe.Executor) { _, _ = e.Execute(ctx, request) },
			func(t *testing.T, r observe.Run) { assert.EqualError(t, r.Err, "x") }},
		{"a check", answers{checked: &policy.CheckResult{}}, func(e observe.Executor) { _, _ = e.CheckProgram(ctx, request) },
			func(t *testing.T, r observe.Run) { assert.Equal(t, observe.Check, r.Kind) }},
		{"a panic", answers{crash: "boom"}, func(e observe.Executor) {
			assert.PanicsWithValue(t, "boom", func() { _, _ = e.Execute(ctx, request) })
		}, func(t *testing.T, r observe.Run) { assert.EqualError(t, r.Err, "panic: boom") }},
	} {
		t.Run(row.name, func(t *testing.T) {
			var h, second heard
			row.run(observe.Executor{Next: row.next, Checker: row.next, Tell: observe.All(&h, &second), Digests: func(profile, level string) (string, string) {
				return "profile " + profile, "level " + level
			}})
			require.Len(t, h.runs, 1)
			require.Equal(t, h.runs, second.runs)
			r := h.runs[0]
			assert.Equal(t, "job_1", r.JobID)
			assert.EqualValues(t, 2, r.Attempt)
			assert.Equal(t, request.Caller, r.Caller)
			assert.Greater(t, r.Total, time.Hour, "it waited for that long")
			assert.WithinDuration(t, time.Now(), r.Finished, time.Minute)
			row.want(t, r)
		})
	}
}

func TestNoTwoInputsHaveOneHash(t *testing.T) {
	seen := map[string]string{}
	for name, in := range map[string]policy.Input{
		"nothing":                     {},
		"stdin":                       {Stdin: "ab"},
		"an argument":                 {Args: []string{"ab"}},
		"two arguments":               {Args: []string{"a", "b"}},
		"an empty argument":           {Args: []string{""}},
		"arguments in another order":  {Args: []string{"b", "a"}},
		"a variable":                  {Env: map[string]string{"a": "b"}},
		"a name that swallows":        {Env: map[string]string{"ab": ""}},
		"a file":                      {Files: []policy.InputFile{{Path: "a", Content: []byte("b")}}},
		"a file's name that swallows": {Files: []policy.InputFile{{Path: "ab"}}},
		"two files":                   {Files: []policy.InputFile{{Path: "a"}, {Path: "b"}}},
		"an argument and a variable":  {Args: []string{"a"}, Env: map[string]string{"b": ""}},
	} {
		hash := observe.ProgramOf(policy.Request{Input: in}).InputSHA256
		assert.Empty(t, seen[hash], "%s has the hash of it", name)
		seen[hash] = name
		assert.Equal(t, hash, observe.ProgramOf(policy.Request{Input: in}).InputSHA256, "%s: another hash the next time", name)
	}
}

func TestDigestsChangeWithTheRules(t *testing.T) {
	r := policy.Runtime{Version: "3.11", Profile: policy.Profile{Name: "python", Levels: map[string]policy.Level{"strict": {Imports: []string{"json"}}}}}
	profile, level, err := observe.Digests(r, "strict")
	require.NoError(t, err)
	assert.Len(t, profile, 64)
	assert.Len(t, level, 64)
	r.Version = "3.12"
	newer, same, err := observe.Digests(r, "strict")
	require.NoError(t, err)
	assert.NotEqual(t, profile, newer)
	assert.Equal(t, level, same)
	r.Profile.Levels["strict"] = policy.Level{Imports: []string{"json", "re"}}
	_, wider, err := observe.Digests(r, "strict")
	require.NoError(t, err)
	assert.NotEqual(t, level, wider)
	_, none, err := observe.Digests(r, "lax")
	require.NoError(t, err)
	assert.Empty(t, none)
}

// told are the fields of a request and a result that a ledger holds: sets of ours,
// and names that a daemon gave.
var told = map[string]bool{
	"Request.Caller.Token": true, "Result.Status": true, "Result.ExecutionID": true, "Result.Metrics.StartMode": true, "Result.Termination.Reason": true,
	"Result.Denials[0].Syscall": true, "Result.Policy": true, "Result.PolicyDeny[0]": true, "Result.Layers[0].Name": true,
	"CheckResult.ExecutionID": true, "CheckResult.Metrics.StartMode": true, "CheckResult.Termination.Reason": true,
	"CheckResult.Policy": true, "CheckResult.PolicyDeny[0]": true, "CheckResult.Layers[0].Name": true,
}

var canary = regexp.MustCompile(`canary<([^>]*)>`)

// Each text of a request and of a result is a canary that names its field, those of
// fields to come too. None but the told may reach the ledger, and none the metrics.
func TestNoTextOfACallerOrAProgramIsRecordedOrCounted(t *testing.T) {
	var request policy.Request
	var result policy.Result
	var checked policy.CheckResult
	plant(reflect.ValueOf(&request).Elem(), "Request")
	plant(reflect.ValueOf(&result).Elem(), "Result")
	plant(reflect.ValueOf(&checked).Elem(), "CheckResult")
	request.Caller.Local = false
	require.Contains(t, request.Input.Files[0].Path, "canary<Request.Input.Files[0].Path>")

	dir := t.TempDir()
	l, err := ledger.Open(ledger.Config{Dir: dir})
	require.NoError(t, err)
	m := metrics.New(metrics.Config{})
	for _, next := range []answers{
		{result: &result}, {checked: &checked},
		{err: &policy.Error{Code: policy.CodeInvalid, Field: "canary<field>", Message: "canary<message>", Value: []byte(`"canary<value>"`), Err: errors.New("canary<cause>")}},
	} {
		e := observe.Executor{Next: next, Checker: next, Tell: observe.All(l, m)}
		if next.checked != nil {
			_, _ = e.CheckProgram(context.Background(), request)
		} else {
			_, _ = e.Execute(context.Background(), request)
		}
	}
	require.NoError(t, l.Close())
	var written strings.Builder
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		written.Write(text)
	}
	// JSON escapes the brackets.
	text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(written.String())
	require.Equal(t, 3, strings.Count(text, `"kind":"run"`))
	found := canary.FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, found)
	for _, c := range found {
		assert.True(t, told[c[1]], "the ledger holds the text of %s", c[1])
	}
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	assert.Contains(t, w.Body.String(), "safe_exec_runs_total{")
	assert.NotContains(t, w.Body.String(), "canary")
}

// plant fills every text below v, with one member for each list and map.
func plant(v reflect.Value, path string) {
	text := fmt.Sprintf("canary<%s>", path)
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Struct:
		for i := range v.NumField() {
			plant(v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(text))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		plant(v.Index(0), path+"[0]")
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		plant(value, path+"[]")
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(text), value)
	}
}
