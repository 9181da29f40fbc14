package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestRunAnswersWithTheWholeResult(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo)})
	r := d.do("POST", runPath, hello)
	require.Equal(t, 200, r.StatusCode, r.body)
	assert.Equal(t, jsonType, r.Header.Get("Content-Type"))
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.body), &got))
	assert.Equal(t, "succeeded", got["status"])
	assert.Equal(t, "print('hello')", got["stdout"])
	for _, list := range []string{"denials", "violations", "files", "layers"} {
		assert.Equal(t, []any{}, got[list], "%s must be a list, not null", list)
	}
	result, there := got["result_json"]
	assert.True(t, there)
	assert.Nil(t, result)
}

func TestContentTypes(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo)})
	for _, row := range []struct {
		name, media, coding string
		status              int
	}{
		{"plain JSON is taken", "application/json", "", 200},
		{"JSON in UTF-8 is taken", "application/json; charset=utf-8", "", 200},
		{"case does not matter", "Application/JSON;charset=UTF-8", "", 200},
		{"another charset is refused", "application/json; charset=latin1", "", 415},
		{"another parameter is refused", "application/json; version=1", "", 415},
		{"text is refused", "text/plain", "", 415},
		{"a form is refused", "application/x-www-form-urlencoded", "", 415},
		{"a kind of JSON is refused", "application/problem+json", "", 415},
		{"no type is refused", "", "", 415},
		{"nonsense is refused", ";;;", "", 415},
		{"a packed body is refused", "application/json", "gzip", 415},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := d.do("POST", runPath, hello, "Content-Type", row.media, "Content-Encoding", row.coding)
			assert.Equal(t, row.status, r.StatusCode, r.body)
			if row.status != 200 {
				assert.Equal(t, policy.CodeInvalid, r.problem(t).Code)
			}
		})
	}
}

func TestPathsAndMethods(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo)})
	for _, row := range []struct {
		name, method, path string
		status             int
		allow              string
	}{
		{"reading where one runs is refused", "GET", runPath, 405, "POST"},
		{"deleting where one runs is refused", "DELETE", runPath, 405, "POST"},
		{"posting to a job is refused", "POST", "/v1/jobs/job_1", 405, "DELETE, GET, HEAD"},
		{"the head of where one runs is refused", "HEAD", runPath, 405, "POST"},
		{"an invented method is refused", "BREW", "/healthz", 405, "GET, HEAD"},
		{"an unknown path is not found", "GET", "/v1", 404, ""},
		{"a slash too many is not found", "POST", runPath + "/", 404, ""},
		{"a doubled slash is not found", "POST", "//v1/tools/safe-exec", 404, ""},
		{"a job without id is not found", "GET", "/v1/jobs/", 404, ""},
		{"the route's own name is no job", "GET", "/v1/jobs/{id}", 404, ""},
		{"a path below a job is not found", "GET", "/v1/jobs/a/b", 404, ""},
		{"an unknown job is not found", "GET", "/v1/jobs/job_1", 404, ""},
		{"the head of a page may be asked for", "HEAD", "/healthz", 200, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := d.do(row.method, row.path, "")
			assert.Equal(t, row.status, r.StatusCode, r.body)
			assert.Equal(t, row.allow, r.Header.Get("Allow"))
			if row.status == 405 && row.method != "HEAD" {
				assert.Equal(t, "this path takes "+policy.Join(strings.Split(row.allow, ", "))+" only", r.problem(t).Detail)
			}
		})
	}
}

func TestExecutorErrorsBecomeProblems(t *testing.T) {
	ceiling, floor := int64(30000), int64(32)
	for _, row := range []struct {
		name   string
		err    error
		status int
		want   Problem
	}{
		{"a limit over its ceiling names field, value and maximum",
			&policy.Error{Code: policy.CodeTooLarge, Field: "limits.timeout_ms", Value: json.RawMessage("60000"), Maximum: &ceiling, Message: "too long"},
			422, Problem{Code: policy.CodeTooLarge, Field: "limits.timeout_ms", Value: json.RawMessage("60000"), Maximum: &ceiling, Detail: "too long"}},
		{"a limit below its floor names the minimum", policy.TooSmall("limits.max_memory_mb", 8, 32),
			422, Problem{Code: policy.CodeInvalid, Field: "limits.max_memory_mb", Predicate: "is 8, the minimum is 32", Value: json.RawMessage("8"), Minimum: &floor, Detail: "limits.max_memory_mb is 8, the minimum is 32"}},
		{"an unknown policy names the field", &policy.Error{Code: policy.CodeInvalid, Field: "policy", Message: "unknown policy"},
			422, Problem{Code: policy.CodeInvalid, Field: "policy", Detail: "unknown policy"}},
		{"a jail that cannot be made names the step",
			&policy.Error{Code: policy.CodeSetup, Step: "pivot_root", Message: "no jail", Err: errors.New("secret")},
			503, Problem{Code: policy.CodeSetup, Step: "pivot_root", Detail: "no jail"}},
		{"a wrapped error is found", fmt.Errorf("outer: %w", policy.Invalid("code", "is bad")),
			422, Problem{Code: policy.CodeInvalid, Field: "code", Predicate: "is bad", Detail: "code is bad"}},
		{"a full executor says when to come back", &policy.Error{Code: policy.CodeBusy, Message: "full"},
			429, Problem{Code: policy.CodeBusy, Detail: "full", Reason: "executor_full", RetryAfter: 1}},
		{"an internal error is hidden", &policy.Error{Code: policy.CodeInternal, Message: "secret", Err: errors.New("secret")},
			500, Problem{Code: policy.CodeInternal, Detail: "The daemon failed; its log has the cause under this request id."}},
		{"a foreign error is hidden", errors.New("secret"),
			500, Problem{Code: policy.CodeInternal, Detail: "The daemon failed; its log has the cause under this request id."}},
		{"a code that nobody knows is internal", &policy.Error{Code: "secret", Message: "secret"},
			500, Problem{Code: policy.CodeInternal, Detail: "The daemon failed; its log has the cause under this request id."}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := start(t, Config{Executor: executorFunc(func(context.Context, policy.Request) (*policy.Result, error) { return nil, row.err })})
			r := d.do("POST", runPath, hello, "X-Request-Id", "abc")
			assert.Equal(t, row.status, r.StatusCode)
			p := r.problem(t)
			assert.Equal(t, "abc", p.RequestID)
			assert.NotContains(t, r.body, "secret")
			assert.Equal(t, row.status == 429, r.Header.Get("Retry-After") != "")
			p.Type, p.Title, p.Status, p.RequestID = "", "", 0, ""
			assert.Equal(t, row.want, p)
			if row.status >= 500 {
				assert.Contains(t, d.log.String(), row.err.Error(), "the log must have the cause")
			}
		})
	}
}

func TestAnExecutorThatBreaksItsContractIsOurFault(t *testing.T) {
	for name, f := range map[string]executorFunc{
		"it panics":        func(context.Context, policy.Request) (*policy.Result, error) { panic("boom") },
		"it gives nothing": func(context.Context, policy.Request) (*policy.Result, error) { return nil, nil },
		"its JSON is not JSON": func(context.Context, policy.Request) (*policy.Result, error) {
			return &policy.Result{ResultJSON: []byte("{")}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := start(t, Config{Executor: f, Slots: 1})
			for range 2 { // twice: the slot must have come back
				r := d.do("POST", runPath, hello)
				assert.Equal(t, 500, r.StatusCode)
				assert.Equal(t, policy.CodeInternal, r.problem(t).Code)
			}
		})
	}
}

func TestIdentityComesFromTheSocket(t *testing.T) {
	seen := make(chan policy.Request, 1)
	d := start(t, Config{Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) {
		seen <- r
		return echo(ctx, r)
	})})
	r := d.do("POST", runPath, with(`"profile":"p"`))
	if os.Getuid() == 0 {
		require.Equal(t, 200, r.StatusCode)
		assert.True(t, (<-seen).Privileged)
	} else {
		require.Equal(t, 403, r.StatusCode)
	}
	caller := fmt.Sprintf(`"uid":%d,"gid":%d,"pid":%d`, os.Getuid(), os.Getgid(), os.Getpid())
	lines := func(n int) func() bool { // the log follows the reply
		return func() bool { return strings.Count(d.log.String(), caller) == n }
	}
	require.Eventually(t, lines(1), 10*time.Second, time.Millisecond, "%s", d.log)
	assert.Equal(t, 404, d.do("GET", "/nosuch", "").StatusCode)
	assert.Equal(t, 405, d.do("PUT", runPath, "").StatusCode)
	assert.Eventually(t, lines(3), 10*time.Second, time.Millisecond, "who asks for what there is not is named as well")
}

// A caller who is not root is tried with a connection that says so: the test
// need not run as two users.
func TestOnlyRootMayChooseAProfile(t *testing.T) {
	for _, row := range []struct {
		name   string
		peer   any
		body   string
		status int
		field  string
	}{
		{"root may", Peer{UID: 0}, with(`"profile":"p"`), 200, ""},
		{"another may not", Peer{UID: 1000}, with(`"profile":"p"`), 403, "profile"},
		{"root may choose a start mode", Peer{UID: 0}, with(`"start_mode":"cold"`), 200, ""},
		{"another may not choose a start mode", Peer{UID: 1000}, with(`"start_mode":"cold"`), 403, "start_mode"},
		{"another without profile may run", Peer{UID: 1000}, hello, 200, ""},
		{"a caller the kernel does not name may do nothing", nil, hello, 403, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			var privileged bool
			s, err := New(Config{Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) {
				privileged = r.Privileged
				return echo(ctx, r)
			}), Logger: discard})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, s.stop()) })
			r := httptest.NewRequest("POST", runPath, strings.NewReader(row.body))
			r.Header.Set("Content-Type", jsonType)
			r = r.WithContext(context.WithValue(r.Context(), peerKey{}, row.peer))
			w := &deadlined{httptest.NewRecorder()}
			s.ServeHTTP(w, r)
			assert.Equal(t, row.status, w.Code, w.Body.String())
			if row.status == 200 {
				assert.Equal(t, row.peer.(Peer).UID == 0, privileged)
				return
			}
			var p Problem
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
			assert.Equal(t, row.field, p.Field)
		})
	}
}

func TestATCPConnectionHasNoIdentity(t *testing.T) {
	s, err := New(Config{Executor: executorFunc(echo), Logger: discard})
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	r, err := http.Post("http://"+ln.Addr().String()+runPath, jsonType, strings.NewReader(hello))
	require.NoError(t, err)
	r.Body.Close()
	assert.Equal(t, 403, r.StatusCode)
	http.DefaultClient.CloseIdleConnections()
	cancel()
	assert.NoError(t, await(t, "Serve", served))
}

func TestRequestIDs(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo)})
	for _, row := range []struct {
		name, sent string
		kept       bool
	}{
		{"a plain id is kept", "agent-7.run_3", true},
		{"64 characters are kept", strings.Repeat("a", 64), true},
		{"65 are not", strings.Repeat("a", 65), false},
		{"a space is not", "a b", false},
		{"a quote is not", `a"b`, false},
		{"none is made up", "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := d.do("GET", "/healthz", "", "X-Request-Id", row.sent).Header.Get("X-Request-Id")
			if row.kept {
				assert.Equal(t, row.sent, got)
			} else {
				assert.True(t, strings.HasPrefix(got, "req_"), got)
			}
			assert.Contains(t, d.log.String(), fmt.Sprintf("%q", got))
		})
	}
}

func TestTheLogKnowsMethodsOfHTTPOnly(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo)})
	for _, row := range []struct{ name, sent, logged string }{
		{"one that is served", "GET", "GET"},
		{"one that is not", "PATCH", "PATCH"},
		{"a caller's text", "SECRET", "other"},
		{"one in other letters, which is another", "get", "other"},
	} {
		t.Run(row.name, func(t *testing.T) {
			id := d.do(row.sent, "/healthz", "").Header.Get("X-Request-Id")
			logged := ""
			for line := range strings.Lines(d.log.String()) {
				var e struct {
					Msg, Method string
					ID          string `json:"request_id"`
				}
				if json.Unmarshal([]byte(line), &e) == nil && e.Msg == "request" && e.ID == id {
					logged = e.Method
				}
			}
			assert.Equal(t, row.logged, logged)
		})
	}
}

func TestTheLogKnowsTheHashOfACodeOnly(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo)})
	d.do("POST", runPath, hello)
	d.do("POST", runPath, `{"language":"python","code":"print('hello')","print('hello')":1}`)
	d.do("GET", "/print('hello')", "")
	d.do("POST", runPath, `{"language":"print('hello')","code":"1"}`)
	d.do("GET", "/v1/jobs/print('hello')?print('hello')=1", "")
	assert.NotContains(t, d.log.String(), "print(")
	assert.Contains(t, d.log.String(), `"code_sha256":"96f43d529af3430cb6b0e2c02f6b38ef1a121e8a31d2d09a3ebb716f2f35c9de"`)
	assert.Contains(t, d.log.String(), `"code_bytes":14`)
}
