package httpapi

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// served is one language with three levels, each wider than the one before.
func served() Description {
	return Description{Runtimes: []policy.Runtime{{Version: "3.11.2", Profile: policy.Profile{
		Name: "python", Language: policy.Python, Level: "strict", Ceiling: "standard",
		Requestable: policy.LimitRanges{TimeoutMS: policy.LimitRange{Min: 1, Default: 5000, Max: 30000}},
		Levels: map[string]policy.Level{
			"strict": {Imports: []string{"json"}, BlockedNames: []string{"open"}}, "standard": {Imports: []string{"json", "csv"}}, "relaxed": {Unrestricted: true},
		},
	}}}}
}

// ceilings gives uid 1 the widest level and uid 2 the narrowest, and uid 3 a second and a half.
func ceilings(c policy.Caller) (Allowance, error) {
	a := Allowance{Level: map[uint32]string{1: "relaxed", 2: "strict"}[c.UID]}
	if time := int64(1500); c.UID == 3 {
		a.Limits.TimeoutMS = &time
	}
	return a, nil
}

// ask sends a request as somebody: the test need not run as several users.
func ask(t *testing.T, cfg Config, uid uint32, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	cfg.Logger, cfg.Describe, cfg.Callers = discard, served, ceilings
	cfg.Jobs = store(t, cfg, 64)
	s, err := New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.stop()) })
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", jsonType)
	w := &deadlined{httptest.NewRecorder()}
	s.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), peerKey{}, Peer{UID: uid})))
	return w.ResponseRecorder
}

func TestRulesByQuery(t *testing.T) {
	for _, row := range []struct {
		name, query string
		uid         uint32
		status      int
		field       string // of the problem
		says        string // in the body
	}{
		{"the level that a request gets that names none", "?language=python", 0, 200, "", `"name":"strict","default":true`},
		{"an alias of the language", "?language=py&level=standard", 0, 200, "", `"imports":["json","csv"]`},
		{"JSON is the format", "?language=py&format=json", 0, 200, "", `"interpreter_version":"3.11.2"`},
		{"a paragraph for a prompt", "?language=py&format=prompt", 0, 200, "", "You write Python 3.11 programs"},
		{"a level at the caller's own ceiling", "?language=py&level=relaxed", 1, 200, "", `"unrestricted":true`},
		{"a level above the default ceiling", "?language=py&level=relaxed", 0, 403, "level", "the widest that this caller may ask for"},
		{"a level above the caller's own ceiling, below the default one", "?language=py&level=standard", 2, 403, "level", "the widest that this caller may ask for"},
		{"the same as a prompt", "?language=py&level=standard&format=prompt", 2, 403, "level", "the widest"},
		{"a level that there is not", "?language=py&level=lax", 2, 422, "level", "this profile has strict"},
		{"an empty level", "?language=py&level=", 0, 422, "level", "empty"},
		{"a level of a kilobyte", "?language=py&level=" + strings.Repeat("x", 1024), 0, 422, "level", "longer"},
		{"a language that there is not", "?language=perl", 0, 422, "language", "unknown language"},
		{"a language that is not served here", "?language=js", 0, 422, "language", "unknown language"},
		{"an empty language", "?language=", 0, 422, "language", "unknown language"},
		{"a format that there is not", "?language=py&format=yaml", 0, 422, "format", "must be json or prompt"},
		{"a prompt of no language", "?format=prompt", 0, 422, "language", "language is missing"},
		{"a level of no language", "?level=strict", 0, 422, "language", "language is missing"},
		{"a parameter twice", "?language=py&language=js", 0, 400, "language", "twice"},
		{"an unknown parameter", "?lang=py", 0, 400, "lang", "; there are language, level, format"},
		{"a malformed query", "?language=%zz", 0, 400, "", "malformed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := ask(t, Config{Executor: executorFunc(echo)}, row.uid, "GET", "/v1/policy"+row.query, "")
			assert.Equal(t, row.status, w.Code, w.Body.String())
			assert.Contains(t, w.Body.String(), row.says)
			if row.status != 200 {
				var p Problem
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
				assert.Equal(t, row.field, p.Field)
				assert.Less(t, w.Body.Len(), 1000)
			}
		})
	}
}

func TestEachCallerSeesHisOwnLimits(t *testing.T) {
	for _, row := range []struct {
		name string
		uid  uint32
		want policy.LimitRange
		says string
	}{
		{"who has a ceiling", 3, policy.LimitRange{Min: 1, Default: 1500, Max: 1500}, "1500 ms of time (1500 ms at most"},
		{"who has none", 0, policy.LimitRange{Min: 1, Default: 5000, Max: 30000}, "5 s of time (30 s at most"},
	} {
		t.Run(row.name, func(t *testing.T) {
			told := func(query string, into any) string {
				body := ask(t, Config{Executor: executorFunc(echo)}, row.uid, "GET", query, "").Body.Bytes()
				if into != nil {
					require.NoError(t, json.Unmarshal(body, into))
				}
				return string(body)
			}
			var runtimes RuntimesReply
			var all policiesReply
			var one policy.Rules
			told("/v1/runtimes", &runtimes)
			told("/v1/policy", &all)
			told("/v1/policy?language=py", &one)
			assert.Equal(t, row.want, runtimes.Runtimes[0].Limits.TimeoutMS)
			assert.Equal(t, row.want, one.Limits.TimeoutMS)
			for _, r := range all.Policies {
				assert.Equal(t, row.want, r.Limits.TimeoutMS, r.Name)
			}
			assert.Contains(t, strings.Join(one.Sentences, " "), row.says)
			assert.Contains(t, told("/v1/policy?language=py&format=prompt", nil), row.says)
		})
	}
}

func TestEachCallerSeesTheLevelsBelowHisCeiling(t *testing.T) {
	for _, row := range []struct {
		name   string
		uid    uint32
		levels []string
	}{
		{"who is named with the widest", 1, []string{"strict", "standard", "relaxed"}},
		{"who is named with the narrowest", 2, []string{"strict"}},
		{"who is not named", 1000, []string{"strict", "standard"}},
		{"root, who is not named either", 0, []string{"strict", "standard"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var all policiesReply
			require.NoError(t, json.Unmarshal(ask(t, Config{Executor: executorFunc(echo)}, row.uid, "GET", "/v1/policy", "").Body.Bytes(), &all))
			var names []string
			for _, r := range all.Policies {
				names = append(names, r.Name)
			}
			assert.Equal(t, row.levels, names)
			var runtimes RuntimesReply
			require.NoError(t, json.Unmarshal(ask(t, Config{Executor: executorFunc(echo)}, row.uid, "GET", "/v1/runtimes", "").Body.Bytes(), &runtimes))
			assert.Equal(t, row.levels, runtimes.Runtimes[0].Policies)

			var got policy.Request
			cfg := Config{Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) { got = r; return echo(ctx, r) })}
			require.Equal(t, 200, ask(t, cfg, row.uid, "POST", runPath, hello).Code)
			want, _ := ceilings(policy.Caller{UID: row.uid})
			assert.Equal(t, want.Level, got.Ceiling, "the ceiling goes with the request")
		})
	}
}

func TestDryRuns(t *testing.T) {
	var asked []policy.Request
	checker := checkerFunc(func(_ context.Context, r policy.Request) (*policy.CheckResult, error) {
		asked = append(asked, r)
		if r.Code == "setup" {
			return nil, &policy.Error{Code: policy.CodeSetup, Step: "pivot", Message: "m"}
		}
		return &policy.CheckResult{ExecutionID: "ex_9", Imports: []string{"json"}}, nil
	})
	for _, row := range []struct {
		name, path, body string
		checker          policy.Checker
		status           int
		says             string
		checked          bool
	}{
		{"1 asks for a check", runPath + "?dry_run=1", hello, checker, 200, `"imports":["json"]`, true},
		{"true asks for a check", runPath + "?dry_run=true", hello, checker, 200, `"would_run":false`, true},
		{"every list is a list", runPath + "?dry_run=1", hello, checker, 200, `"violations":[]`, true},
		{"0 runs", runPath + "?dry_run=0", hello, checker, 200, `"stdout":"print('hello')"`, false},
		{"a failure of ours is a problem", runPath + "?dry_run=1", `{"language":"python","code":"setup"}`, checker, 503, `"step":"pivot"`, true},
		{"a bad body is the same problem", runPath + "?dry_run=1", `{"language":"python"}`, checker, 422, `"field":"code"`, false},
		{"another word is refused", runPath + "?dry_run=yes", hello, checker, 400, `"field":"dry_run"`, false},
		{"another parameter is refused", runPath + "?dryrun=1", hello, checker, 400, `; there are dry_run, stream"`, false},
		{"a job cannot be a check", asyncPath + "?dry_run=1", hello, checker, 400, `unknown query parameter`, false},
		{"a daemon that cannot check says so, and does not run", runPath + "?dry_run=1", hello, nil, 422, `"field":"dry_run"`, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			asked = nil
			w := ask(t, Config{Executor: executorFunc(echo), Checker: row.checker}, 2, "POST", row.path, row.body)
			assert.Equal(t, row.status, w.Code, w.Body.String())
			assert.Contains(t, w.Body.String(), row.says)
			assert.Equal(t, row.checked, len(asked) == 1)
			if row.checked {
				assert.Equal(t, "strict", asked[0].Ceiling)
			}
		})
	}
}

func TestADryRunTakesASlot(t *testing.T) {
	h := newHeld()
	d := start(t, Config{Executor: h, Slots: 1, Waiting: 1, WaitLimit: 1, Checker: checkerFunc(func(context.Context, policy.Request) (*policy.CheckResult, error) {
		return &policy.CheckResult{WouldRun: true, Termination: policy.Termination{Reason: policy.ReasonCompleted}}, nil
	})})
	running := d.later("POST", runPath, hello)
	await(t, "the run", h.started)
	assert.Equal(t, 429, d.do("POST", runPath+"?dry_run=1", hello).StatusCode)
	close(h.release)
	await(t, "the run", running)
	assert.Equal(t, 200, d.do("POST", runPath+"?dry_run=1", hello).StatusCode)
}
