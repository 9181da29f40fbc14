package client

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

var one = policy.Request{Language: "python", Code: "1"}

const taken = `{"job_id":"job_1","status":"queued","expires_at":"2030-01-01T00:00:00Z"}`

func accepted(body string) http.HandlerFunc {
	return reply(http.StatusAccepted, "application/json", body)
}

func TestInputsTravel(t *testing.T) {
	const head = `{"language":"python","code":"1","limits":{}`
	for _, row := range []struct {
		name string
		edit func(*policy.Request)
		want string
	}{
		{"none", func(*policy.Request) {}, "}"},
		{"stdin, arguments and environment", func(r *policy.Request) {
			r.Input = policy.Input{Stdin: "ü", Args: []string{"-v"}, Env: map[string]string{"A": "1"}}
		}, `,"stdin":"ü","args":["-v"],"env":{"A":"1"}}`},
		{"files, an empty one too", func(r *policy.Request) {
			r.Input.Files = []policy.InputFile{{Path: "a", Content: []byte{0xff}}, {Path: "b"}}
		}, `,"files":[{"path":"a","content_base64":"/w=="},{"path":"b","content_base64":""}]}`},
		{"globs", func(r *policy.Request) { r.Collect = []string{"*.png"} }, `,"collect":["*.png"]}`},
		{"no globs, which is not all", func(r *policy.Request) { r.Collect = []string{} }, `,"collect":[]}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, s := serve(t, jsonReply(`{"status":"succeeded"}`))
			req := one
			row.edit(&req)
			_, err := c.Execute(t.Context(), req)
			require.NoError(t, err)
			assert.Equal(t, head+row.want, s.asked()[0].body)
		})
	}
	for field, edit := range map[string]func(*policy.Request){
		"stdin":         func(r *policy.Request) { r.Input.Stdin = "\xff" },
		"args[0]":       func(r *policy.Request) { r.Input.Args = []string{"\xff"} },
		"env":           func(r *policy.Request) { r.Input.Env = map[string]string{"A": "\xff"} },
		"files[0].path": func(r *policy.Request) { r.Input.Files = []policy.InputFile{{Path: "\xff"}} },
		"collect[0]":    func(r *policy.Request) { r.Collect = []string{"\xff"} },
	} {
		req := one
		edit(&req)
		_, err := New("/nope").Execute(t.Context(), req)
		var e *policy.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, field, e.Field)
	}
}

func TestAJobFromItsSubmissionToItsEnd(t *testing.T) {
	c, s := serve(t, accepted(taken),
		jsonReply(`{"job_id":"job_1","status":"running"}`),
		jsonReply(`{"job_id":"job_1","status":"succeeded","result":{"status":"succeeded","files":[{"path":"a","size":1,"content_base64":"/w=="}]}}`),
		jsonReply(`{"job_id":"job_1","status":"succeeded"}`), jsonReply(`{"job_id":"job_1","status":"cancelled"}`))
	job, err := c.Submit(t.Context(), one, SubmitOptions{Key: "k", TTL: time.Minute})
	require.NoError(t, err)
	assert.Equal(t, "job_1", job.ID)
	assert.Equal(t, 2030, job.Expires.Year())
	assert.False(t, job.Done())
	job, err = c.Wait(t.Context(), job.ID)
	require.NoError(t, err)
	assert.True(t, job.Done())
	assert.Equal(t, []byte{0xff}, job.Result.Files[0].Content)
	job, err = c.Job(t.Context(), "a/../b?c", 0)
	require.NoError(t, err)
	assert.Equal(t, policy.Succeeded, job.Status)
	job, err = c.Cancel(t.Context(), "job_1")
	require.NoError(t, err)
	assert.Equal(t, policy.Cancelled, job.Status)
	assert.Equal(t, []string{"POST /v1/tools/safe-exec/async?ttl=1m0s", "GET /v1/jobs/job_1?wait=25s", "GET /v1/jobs/job_1?wait=25s",
		"GET /v1/jobs/a%2F..%2Fb%3Fc", "DELETE /v1/jobs/job_1"}, s.lines())
	assert.Equal(t, "k", s.asked()[0].header.Get("Idempotency-Key"))
}

func TestAJobWhoseReplyWasLostIsSentAgainUnderItsKey(t *testing.T) {
	c, s := serve(t, hangUp, half, accepted(taken))
	job, err := c.Submit(t.Context(), one, SubmitOptions{})
	require.NoError(t, err)
	assert.Equal(t, "job_1", job.ID)
	keys := map[string]bool{}
	for _, a := range s.asked() {
		keys[a.header.Get("Idempotency-Key")] = true
	}
	assert.GreaterOrEqual(t, len(s.asked()), 3) // net/http may try once more by itself
	assert.Len(t, keys, 1)
	assert.NotContains(t, keys, "")
}

func TestWhatIsNoLostReplyIsNotSentAgain(t *testing.T) {
	for _, row := range []struct {
		name  string
		reply http.HandlerFunc
		code  policy.Code
	}{
		{"another request under the key", problem(422, `{"code":"conflict","field":"Idempotency-Key"}`), policy.CodeConflict},
		{"a daemon that ends", problem(503, `{"code":"unavailable"}`), policy.CodeUnavailable},
		{"a queue that is full", problem(429, `{"code":"busy"}`), policy.CodeBusy},
		{"no id", accepted(`{}`), policy.CodeInternal},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, s := serve(t, row.reply)
			_, err := c.Submit(t.Context(), one, SubmitOptions{})
			var e *policy.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, row.code, e.Code)
			assert.Len(t, s.asked(), 1)
		})
	}
	assert.False(t, lost(New(filepath.Join(t.TempDir(), "none")).Ping(t.Context())), "who never got there sent nothing")
}

func TestAJobsErrorIsTheErrorItWas(t *testing.T) {
	c, _ := serve(t, jsonReply(`{"job_id":"j","status":"error","error":{"code":"setup_error","status":503,"step":"pivot"}}`))
	job, err := c.Wait(t.Context(), "j")
	require.NoError(t, err)
	var e *policy.Error
	require.ErrorAs(t, job.Err, &e)
	assert.Equal(t, "pivot", e.Step)
}

func TestPagesOfAList(t *testing.T) {
	c, s := serve(t, jsonReply(`{"jobs":[{"job_id":"b"},{"job_id":"a"}],"next":"n/1"}`), jsonReply(`{"jobs":[]}`))
	jobs, next, err := c.List(t.Context(), ListOptions{Status: policy.Running, Limit: 2})
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "a"}, []string{jobs[0].ID, jobs[1].ID})
	jobs, next, err = c.List(t.Context(), ListOptions{After: next})
	require.NoError(t, err)
	assert.Empty(t, jobs)
	assert.Empty(t, next)
	assert.Equal(t, []string{"GET /v1/jobs?limit=2&status=running", "GET /v1/jobs?after=n%2F1"}, s.lines())
}

func TestADaemonThatStartsAgainIsWaitedFor(t *testing.T) {
	end := jsonReply(`{"job_id":"j","status":"succeeded","result":{"status":"succeeded"}}`)
	c, s := serve(t, jsonReply(`{"job_id":"j","status":"running"}`), problem(503, `{"code":"unavailable"}`), end, problem(503, `{"code":"unavailable"}`))
	job, err := c.Wait(t.Context(), "j")
	require.NoError(t, err)
	assert.Equal(t, policy.Succeeded, job.Status)
	_, err = c.Wait(t.Context(), "j")
	require.Error(t, err, "one that was never there is not")
	assert.Len(t, s.asked(), 4)
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := c.Wait(ctx, "j")
	assert.ErrorIs(t, err, context.Canceled)
}

func TestTokensTravelAndNotInTheClear(t *testing.T) {
	for _, row := range []struct{ name, url, token, field string }{
		{"another machine", "http://example.org", "t", "url"},
		{"a name that only looks like this machine", "http://localhost.example.org", "t", "url"},
		{"a path", "http://127.0.0.1/x", "t", "url"},
		{"a password", "http://a:b@127.0.0.1", "t", "url"},
		{"no scheme", "127.0.0.1:80", "t", "url"},
		{"another scheme", "unix://127.0.0.1", "t", "url"},
		{"a token that ends the header", "http://127.0.0.1", "a\r\nX: y", "token"},
	} {
		_, err := NewTCP(row.url, row.token, nil)
		var e *policy.Error
		require.ErrorAs(t, err, &e, row.name)
		assert.Equal(t, row.field, e.Field, row.name)
		assert.NotContains(t, err.Error(), "a\r\n")
	}
	for _, url := range []string{"https://example.org", "http://[::1]:1", "http://localhost:1/"} {
		_, err := NewTCP(url, "t", nil)
		assert.NoError(t, err, url)
	}
}
