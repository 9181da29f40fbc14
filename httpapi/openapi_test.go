package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func document(t *testing.T) object {
	var doc object
	require.NoError(t, json.Unmarshal(openAPI, &doc))
	return doc
}

func TestDocumentAndRoutesNameTheSamePaths(t *testing.T) {
	doc := document(t)
	s := &Server{cfg: Config{Metrics: http.NotFoundHandler(), Jobs: brokenStore{}}}
	paths := doc["paths"].(object)
	assert.ElementsMatch(t, slices.Collect(maps.Keys(s.table())), slices.Collect(maps.Keys(paths)))
	for path, m := range s.table() {
		var want []string
		for method, op := range m {
			method = strings.ToLower(method)
			want = append(want, method)
			assert.ElementsMatch(t, op.query, slices.Collect(maps.Keys(queryParameters(doc, path, method))), "%s %s", method, path)
		}
		assert.ElementsMatch(t, want, slices.Collect(maps.Keys(paths[path].(object))), path)
	}
}

func TestDocumentKnowsEveryCode(t *testing.T) {
	var all []any
	for _, c := range codes {
		all = append(all, string(c.code))
	}
	assert.ElementsMatch(t, all, dig(document(t), "components", "schemas", "Problem", "properties", "code", "enum"))
	assert.Equal(t, float64(policy.MaxCodeBytes), 1048576.0, "the document says 1 MiB")
}

// full is a result with every optional field set.
func full() *policy.Result {
	n, code := int64(1), 1
	return &policy.Result{
		Status: policy.Failed, ExecutionID: "ex_1", ResultJSON: []byte(`{"a":[1,null]}`), ExitCode: &code,
		Termination: policy.Termination{Reason: policy.ReasonSyntaxError, Signal: "SIGSEGV", Limit: &n, LimitField: "limits.timeout_ms", LimitMaximum: 1, Observed: &n, Line: 1, Column: 1,
			Message: "m", Evidence: []policy.Evidence{{Source: "wait", Name: "n", Value: "v"}}, Hint: "h", Claimed: true},
		Denials: []policy.Denial{{Syscall: "socket", Count: 1}}, Violations: []policy.Violation{{Rule: "r"}},
		Files: []policy.File{{Path: "a", Text: "t"}, {Path: "b", Content: []byte{255}}}, FilesSkipped: []policy.SkippedFile{{Path: "c", Reason: "r"}}, Layers: []policy.Layer{{Name: "user_ns", State: "enforced", Detail: "d"}},
		Metrics: policy.Metrics{ExecutionTimeMS: 1.5}, Policy: "strict",
	}
}

func TestEveryReplyIsAsTheDocumentSays(t *testing.T) {
	t.Parallel()
	doc := document(t)
	var fail atomic.Bool
	h := newHeld()
	cfg := Config{
		Checker: checkerFunc(func(context.Context, policy.Request) (*policy.CheckResult, error) {
			return &policy.CheckResult{WouldRun: true, Termination: policy.Termination{Reason: policy.ReasonCompleted}}, nil
		}),
		Slots: 1, Waiting: 1, WaitLimit: time.Millisecond,
		Describe: func() Description {
			return Description{Version: "1",
				Runtimes: []policy.Runtime{{Version: "3.11.2", Profile: policy.Profile{
					Name: "python", Language: policy.Python, Level: "strict", Ceiling: "strict",
					Requestable: policy.LimitRanges{TimeoutMS: policy.LimitRange{Min: 1, Default: 1, Max: 1}, MaxMemoryMB: policy.LimitRange{Min: 1, Default: 1, Max: 1},
						MaxStdoutBytes: policy.LimitRange{Min: 1, Default: 1, Max: 1}, MaxStderrBytes: policy.LimitRange{Min: 1, Default: 1, Max: 1}},
					Levels: map[string]policy.Level{"strict": {Imports: []string{"json"}}, "relaxed": {Unrestricted: true}},
				}}},
				Posture: Posture{Kernel: "6.18", Cgroup: "v2", Layers: []policy.Layer{{Name: "seccomp", State: "enforced"}},
					Processes: []Process{{Name: "executor", Capabilities: "000001fffeffffff", Tried: []string{}}, {Name: "broker", Capabilities: "0000000000000000", Proved: new(time.Time), Tried: []string{"landlock_read"}}}}}
		},
		Ready: func() error {
			if fail.Load() {
				return fmt.Errorf("no cgroup")
			}
			return nil
		},
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintln(w, "safe_exec_posture_held 1")
		}),
		Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) {
			switch r.Code {
			case "setup":
				return nil, &policy.Error{Code: policy.CodeSetup, Step: "pivot", Message: "m"}
			case "internal":
				return nil, fmt.Errorf("x")
			case "hold":
				return h.Execute(ctx, r)
			}
			return full(), nil
		}),
	}
	cfg.Jobs = store(t, cfg, 1)
	d := start(t, cfg)
	c := &conformance{t: t, doc: doc, covered: map[string]bool{}}
	check := func(route, method, path, body string, status int, headers ...string) reply {
		t.Helper()
		return c.check(d, route, method, path, body, status, headers...)
	}
	code := func(c string) string { return `{"language":"python","code":"` + c + `"}` }
	wait := func(r reply) (id string) {
		var s Submitted
		decode(t, r, &s)
		return s.JobID
	}

	for _, path := range []string{runPath, asyncPath} {
		check(path, "POST", path, "{", 400)
		check(path, "POST", path, "x", 415, "Content-Type", "text/plain")
		check(path, "POST", path, code("")+" ", 422)
		check(path, "POST", path, strings.Repeat(" ", maxBody+1), 413, "Expect", "100-continue")
	}
	check(runPath, "POST", runPath, code("1"), 200)
	check(runPath, "POST", runPath+"?dry_run=1", code("1"), 200)
	check(runPath, "POST", runPath+"?stream=1", code("1"), 200)
	check(runPath, "POST", runPath+"?stream=1", code("setup"), 503)
	check(runPath, "POST", runPath+"?dry_run=perhaps", code("1"), 400)
	check(runPath, "POST", runPath, code("setup"), 503)
	check(runPath, "POST", runPath, code("internal"), 500)

	for _, c := range []string{"1", "setup", "internal"} {
		id := wait(check(asyncPath, "POST", asyncPath, code(c), 202))
		check(jobRoute, "GET", "/v1/jobs/"+id+"?wait=5s", "", 200)
		check(jobRoute, "DELETE", "/v1/jobs/"+id, "", 200)
		stream := check(eventsRoute, "GET", "/v1/jobs/"+id+"/events", "", 200)
		list := readEvents(t, strings.NewReader(stream.body))
		check(eventsRoute, "GET", "/v1/jobs/"+id+"/events", "", 204, "Last-Event-ID", list[len(list)-1].ID)
	}
	for range 2 {
		id := wait(check(asyncPath, "POST", asyncPath+"?ttl=1h", code("1"), 202, "Idempotency-Key", "k"))
		check(jobRoute, "GET", "/v1/jobs/"+id+"?wait=5s", "", 200)
	}
	check(asyncPath, "POST", asyncPath, code("2"), 422, "Idempotency-Key", "k")
	check(jobsPath, "GET", "/v1/jobs?limit=2", "", 200)
	check(jobsPath, "GET", "/v1/jobs?status=succeeded", "", 200)
	check(jobsPath, "GET", "/v1/jobs?limit=some", "", 400)
	check(jobsPath, "GET", "/v1/jobs?limit=101", "", 422)
	running := wait(check(asyncPath, "POST", asyncPath, code("hold"), 202))
	await(t, "the job", h.started)
	check(jobRoute, "GET", "/v1/jobs/"+running, "", 200)
	queued := wait(check(asyncPath, "POST", asyncPath, code("hold"), 202))
	check(jobRoute, "GET", "/v1/jobs/"+queued, "", 200)
	check(asyncPath, "POST", asyncPath, code("hold"), 429)
	check(jobRoute, "DELETE", "/v1/jobs/"+queued, "", 200)
	check(jobRoute, "DELETE", "/v1/jobs/"+running, "", 200)
	check(jobRoute, "GET", "/v1/jobs/x", "", 404)
	check(jobRoute, "DELETE", "/v1/jobs/x", "", 404)
	check(jobRoute, "GET", "/v1/jobs/x?wait=soon", "", 400)
	check(jobRoute, "GET", "/v1/jobs/x?wait=2h", "", 422)
	check(jobRoute, "DELETE", "/v1/jobs/x?wait=1s", "", 400)
	check(eventsRoute, "GET", "/v1/jobs/x/events", "", 404)
	check(eventsRoute, "GET", "/v1/jobs/x/events", "", 400, "Last-Event-ID", "x")

	held := d.later("POST", runPath, code("hold"))
	await(t, "the run", h.started)
	check(runPath, "POST", runPath, code("1"), 429)
	close(h.release)
	await(t, "the held run", held)

	for _, path := range []string{"/v1/runtimes", "/v1/policy", "/v1/posture", "/metrics", "/healthz", "/readyz", "/openapi.json"} {
		check(path, "GET", path, "", 200)
	}
	check("/v1/policy", "GET", "/v1/policy?language=py&level=strict", "", 200)
	check("/v1/policy", "GET", "/v1/policy?language=py&format=prompt", "", 200)
	check("/v1/policy", "GET", "/v1/policy?lang=py", "", 400)
	check("/v1/policy", "GET", "/v1/policy?language=py&level=relaxed", "", 403)
	check("/v1/policy", "GET", "/v1/policy?language=perl", "", 422)
	for _, path := range []string{"/v1/runtimes", "/v1/posture", "/metrics", "/healthz", "/readyz", "/openapi.json"} {
		check(path, "GET", path+"?foo=1", "", 400)
	}
	fail.Store(true)
	check("/readyz", "GET", "/readyz", "", 503)

	broken := start(t, Config{Executor: executorFunc(echo), Jobs: brokenStore{}})
	c.check(broken, asyncPath, "POST", asyncPath, code("1"), 503)
	c.check(broken, jobsPath, "GET", jobsPath, "", 503)
	c.check(broken, jobRoute, "GET", "/v1/jobs/x", "", 503)
	c.check(broken, jobRoute, "GET", "/v1/jobs/x?wait=1s", "", 503)
	c.check(broken, jobRoute, "DELETE", "/v1/jobs/x", "", 503)
	c.check(broken, eventsRoute, "GET", "/v1/jobs/x/events", "", 503)

	// What may be said of any request is tested for each operation, below.
	for route, item := range doc["paths"].(object) {
		for method, op := range item.(object) {
			for status := range dig(op, "responses").(object) {
				key := fmt.Sprintf("%s %s %s", strings.ToUpper(method), route, status)
				switch status {
				case "401", "403", "405", "429", "500":
					continue
				}
				assert.True(t, c.covered[key], "%s is described and never checked", key)
			}
		}
	}
}

// What is said before a handler is asked may be said of every operation, and is
// described for each.
func TestWhatAnyRequestMayBeTold(t *testing.T) {
	doc := document(t)
	_, token := NewToken("ci")
	metrics := http.NotFoundHandler()
	for _, row := range []struct {
		name   string
		cfg    Config
		tcp    bool
		method string // in place of the operation's
		status int
	}{
		{"who brings no token", Config{Tokens: Tokens{token}, Hosts: []string{"x"}}, true, "", 401},
		{"who asks for another host", Config{Tokens: Tokens{token}}, true, "", 403},
		{"who may not call", Config{Callers: func(policy.Caller) (Allowance, error) {
			return Allowance{}, &policy.Error{Code: policy.CodeForbidden, Message: "no"}
		}}, false, "", 403},
		{"who uses another method", Config{}, false, "PATCH", 405},
		{"who asks too often", Config{Callers: func(policy.Caller) (Allowance, error) {
			return Allowance{RatePerMinute: 0.001, Burst: 1}, nil
		}}, false, "", 429},
		{"whom the daemon fails", Config{Callers: func(policy.Caller) (Allowance, error) {
			return Allowance{}, fmt.Errorf("no configuration")
		}}, false, "", 500},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.cfg.Executor, row.cfg.Metrics = executorFunc(echo), metrics
			var d *daemon
			if row.tcp {
				address := overTCP(t, row.cfg)
				d = &daemon{t: t, client: &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
					return new(net.Dialer).DialContext(ctx, "tcp", address)
				}}}}
				t.Cleanup(d.client.CloseIdleConnections)
			} else {
				d = start(t, row.cfg)
			}
			if row.status == http.StatusTooManyRequests {
				d.do("GET", "/healthz", "")
			}
			for route, item := range doc["paths"].(object) {
				for method := range item.(object) {
					method, path := strings.ToUpper(method), strings.ReplaceAll(route, "{id}", "x")
					c := &conformance{t: t, doc: doc, covered: map[string]bool{}}
					if row.method == "" {
						c.check(d, route, method, path, "", row.status)
						continue
					}
					r := d.do(row.method, path, "")
					assert.Equal(t, row.status, r.StatusCode)
					c.holds(r, route, method)
				}
			}
		})
	}
}

func TestDocumentKnowsEveryReasonOfBusy(t *testing.T) {
	var all []any
	for _, r := range BusyReasons() {
		all = append(all, string(r))
	}
	assert.ElementsMatch(t, all, dig(document(t), "components", "schemas", "Problem", "properties", "reason", "enum"))
}
