package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/events"
	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// brokenStore is a store whose disk is gone.
type brokenStore struct{}

var errBroken error = &policy.Error{Code: policy.CodeUnavailable, Message: "the database is locked"}

func (brokenStore) ReserveUpTo(jobs.Owner, int) (*jobs.Reservation, error) { return nil, errBroken }
func (brokenStore) Replay(context.Context, jobs.Owner, string, [32]byte) (*jobs.Job, error) {
	return nil, errBroken
}
func (brokenStore) Peek(context.Context, jobs.Owner, string) (jobs.Job, error) {
	return jobs.Job{}, errBroken
}
func (brokenStore) Shown(context.Context, jobs.Owner, string) (jobs.Job, json.RawMessage, error) {
	return jobs.Job{}, nil, errBroken
}
func (brokenStore) Wait(context.Context, jobs.Owner, string) (jobs.Job, error) {
	return jobs.Job{}, errBroken
}
func (brokenStore) Cancel(context.Context, jobs.Owner, string) (jobs.Job, error) {
	return jobs.Job{}, errBroken
}
func (brokenStore) List(context.Context, jobs.Owner, jobs.ListOptions) ([]jobs.Job, string, error) {
	return nil, "", errBroken
}
func (brokenStore) Events(context.Context, jobs.Owner, string) (*events.Log, error) {
	return nil, errBroken
}
func (brokenStore) Close(context.Context) error { return nil }

func submit(d *daemon, body string, headers ...string) Submitted {
	d.t.Helper()
	r := d.do("POST", asyncPath, body, headers...)
	require.Equal(d.t, 202, r.StatusCode, r.body)
	var s Submitted
	decode(d.t, r, &s)
	assert.Equal(d.t, jobPrefix+s.JobID, r.Header.Get("Location"))
	return s
}

func TestAKeyNamesOneJob(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo)})
	other := strings.Replace(hello, "hello", "other", 1)
	for _, row := range []struct {
		name, key, body string
		status          int
		same            bool // as the first of this key
	}{
		{"a new key makes a job", "k", hello, 202, false},
		{"the same key and body are the same job", "k", hello, 202, true},
		{"another body is refused", "k", other, 422, false},
		{"white space makes another body: it is told by its bytes", "k", hello + " ", 422, false},
		{"a refusal leaves the job as it was", "k", hello, 202, true},
		{"another key makes another job", "l", hello, 202, false},
		{"any printable character will do", " !~", hello, 202, false},
		{"255 characters will do", strings.Repeat("x", 255), hello, 202, false},
		{"256 are too many", strings.Repeat("x", 256), hello, 400, false},
		{"what is no ASCII is refused", "schlüssel", hello, 400, false},
		{"a tab is refused", "a\tb", hello, 400, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := d.do("POST", asyncPath, row.body, "Idempotency-Key", row.key)
			require.Equal(t, row.status, r.StatusCode, r.body)
			assert.Equal(t, row.same, r.Header.Get("Idempotency-Replayed") == "true")
			if row.status != 202 {
				p := r.problem(t)
				assert.Equal(t, "Idempotency-Key", p.Field)
				assert.Equal(t, row.status == 422, p.Code == policy.CodeConflict)
			}
		})
	}
	var first, again, third Submitted
	first = submit(d, hello, "Idempotency-Key", "k")
	again = submit(d, hello, "Idempotency-Key", "k")
	third = submit(d, hello)
	assert.Equal(t, first.JobID, again.JobID)
	assert.NotEqual(t, first.JobID, third.JobID)
}

func TestTwoKeysAreRefused(t *testing.T) {
	for _, values := range [][]string{{"a", "b"}, {"a", "a"}, {""}} {
		_, err := keyOf(http.Header{"Idempotency-Key": values})
		assert.Error(t, err)
	}
}

// The store is asked for a place before the body is: a queue that is full costs
// nothing.
func TestAFullQueueReadsNoBody(t *testing.T) {
	h := newHeld()
	cfg := Config{Executor: h}
	cfg.Jobs = store(t, cfg, 1)
	d := start(t, cfg)
	submit(d, hello)
	await(t, "the first", h.started)
	submit(d, hello)
	r := d.do("POST", asyncPath, "nonsense")
	assert.Equal(t, 429, r.StatusCode)
	assert.Equal(t, "job_queue_full", r.problem(t).Reason)
	close(h.release)
}

func TestWhatWouldBeRefusedIsNoJob(t *testing.T) {
	refuse := policy.Invalid("files[0].path", "a path must be relative")
	for _, row := range []struct {
		name      string
		cfg       Config
		now, then int
	}{
		{"what is refused early is refused for all", Config{Check: func(policy.Request) error { return refuse }}, 422, 422},
		{"who runs programs is asked for a job, and not for who waits", Config{Resolve: func(context.Context, policy.Request) error { return refuse }}, 200, 422},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.cfg.Executor = executorFunc(echo)
			d := start(t, row.cfg)
			for path, status := range map[string]int{runPath: row.now, runPath + "?stream=1": row.now, asyncPath: row.then} {
				r := d.do("POST", path, hello)
				require.Equal(t, status, r.StatusCode, r.body)
				if status == 422 {
					assert.Equal(t, "files[0].path", r.problem(t).Field)
				}
			}
			assert.JSONEq(t, `{"jobs":[]}`, d.do("GET", jobsPath, "").body)
		})
	}
}

func TestAJobSaysWhenItIsGivenUp(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo)})
	for query, ttl := range map[string]time.Duration{"": jobs.DefaultTTL, "?ttl=1h": time.Hour, "?ttl=24h": maxTTL, "?ttl=1s": time.Second} {
		begin := time.Now()
		r := d.do("POST", asyncPath+query, hello)
		require.Equal(t, 202, r.StatusCode, r.body)
		var s Submitted
		decode(t, r, &s)
		assert.WithinRange(t, s.ExpiresAt, begin.Add(ttl), time.Now().Add(ttl), query)
		var job Job
		decode(t, d.do("GET", jobPrefix+s.JobID+"?wait=10s", ""), &job)
		assert.Equal(t, s.ExpiresAt, job.ExpiresAt)
		assert.Equal(t, 1, job.Attempt)
	}
}

func TestAListHasPagesAndNoResults(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo)})
	var want []string
	for range 5 {
		id := submit(d, hello).JobID
		want = append([]string{id}, want...)
		d.do("GET", jobPrefix+id+"?wait=10s", "")
	}
	var got []string
	query, pages := "?limit=2", 0
	for query != "" {
		r := d.do("GET", jobsPath+query, "")
		require.Equal(t, 200, r.StatusCode, r.body)
		assert.NotContains(t, r.body, "result")
		var list JobList
		decode(t, r, &list)
		for _, j := range list.Jobs {
			got = append(got, j.JobID)
			assert.Equal(t, policy.Succeeded, j.Status)
		}
		pages++
		if query = ""; list.Next != "" {
			query = "?limit=2&after=" + url.QueryEscape(list.Next)
		}
	}
	assert.Equal(t, 3, pages)
	assert.Equal(t, want, got, "newest first, each once")
	r := d.do("GET", jobsPath+"?status=failed", "")
	assert.JSONEq(t, `{"jobs":[]}`, r.body)
}

func TestQueries(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo)})
	job := jobPrefix + submit(d, hello).JobID
	for _, row := range []struct {
		name, method, path string
		status             int
		field              string
	}{
		{"a wait of nothing is a look", "GET", job + "?wait=0s", 200, ""},
		{"a wait without unit is refused", "GET", job + "?wait=30", 400, "wait"},
		{"a negative wait is refused", "GET", job + "?wait=-1s", 422, "wait"},
		{"a wait of two minutes is too long", "GET", job + "?wait=2m", 422, "wait"},
		{"two waits are refused", "GET", job + "?wait=1s&wait=1s", 400, "wait"},
		{"a parameter that is none is refused", "GET", job + "?until=1s", 400, "until"},
		{"a broken escape is refused", "GET", job + "?wait=%zz", 400, ""},
		{"cancelling takes no parameter", "DELETE", job + "?wait=1s", 400, "wait"},
		{"events take no parameter", "GET", job + "/events?wait=1s", 400, "wait"},
		{"a limit of none is refused", "GET", jobsPath + "?limit=0", 422, "limit"},
		{"a negative limit is refused", "GET", jobsPath + "?limit=-1", 422, "limit"},
		{"a limit with a sign is refused", "GET", jobsPath + "?limit=%2B1", 400, "limit"},
		{"a limit with a zero in front is refused", "GET", jobsPath + "?limit=01", 400, "limit"},
		{"a fraction is refused", "GET", jobsPath + "?limit=1.5", 400, "limit"},
		{"a limit beyond 64 bits is refused", "GET", jobsPath + "?limit=99999999999999999999", 422, "limit"},
		{"a limit over the maximum is refused", "GET", jobsPath + "?limit=101", 422, "limit"},
		{"the maximum is taken", "GET", jobsPath + "?limit=100", 200, ""},
		{"a status that is none is refused", "GET", jobsPath + "?status=done", 422, "status"},
		{"an empty status is refused", "GET", jobsPath + "?status=", 422, "status"},
		{"an empty cursor is refused", "GET", jobsPath + "?after=", 400, "after"},
		{"a cursor of a kilobyte is refused", "GET", jobsPath + "?after=" + strings.Repeat("x", 1024), 400, "after"},
		{"a time to live of nothing is refused", "POST", asyncPath + "?ttl=0s", 422, "ttl"},
		{"a time to live of a day and more is refused", "POST", asyncPath + "?ttl=25h", 422, "ttl"},
		{"a time to live without unit is none", "POST", asyncPath + "?ttl=10", 400, "ttl"},
		{"a time to live that is none is refused", "POST", asyncPath + "?ttl=forever", 400, "ttl"},
		{"a job is not streamed where it is submitted", "POST", asyncPath + "?stream=1", 400, "stream"},
		{"a stream of perhaps is refused", "POST", runPath + "?stream=perhaps", 400, "stream"},
		{"a dry run has no stream", "POST", runPath + "?stream=1&dry_run=1", 422, "stream"},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := ""
			if row.method == "POST" {
				body = hello
			}
			r := d.do(row.method, row.path, body)
			require.Equal(t, row.status, r.StatusCode, r.body)
			if row.status != 200 {
				assert.Equal(t, row.field, r.problem(t).Field)
			}
		})
	}
}

func TestWithoutAStoreThereAreNoJobs(t *testing.T) {
	s, err := New(Config{Executor: executorFunc(echo), Logger: discard})
	require.NoError(t, err)
	for _, path := range []string{asyncPath, jobsPath, jobRoute, eventsRoute} {
		assert.NotContains(t, s.routes, path)
	}
	assert.NoError(t, s.stop())
}

func FuzzQueries(f *testing.F) {
	for _, q := range []string{"wait=30s", "ttl=1h", "status=queued&limit=3&after=x", "limit=%31", "wait=1s&wait=1s", "%zz", "a=%00", "limit=+1"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		query, readErr := queryOf(&url.URL{RawQuery: text}, "wait", "ttl", "status", "limit", "after", "stream", "dry_run")
		wait, waitErr := waitOf(query)
		assert.True(t, wait >= 0 && wait <= maxWait)
		ttl, ttlErr := ttlOf(query)
		assert.True(t, ttlErr != nil || ttl >= time.Second && ttl <= maxTTL)
		o, listErr := listOf(query)
		assert.True(t, listErr != nil || o.Limit >= 1 && o.Limit <= maxListed && len(o.After) <= maxCursor)
		_, modeErr := (&Server{}).runMode(query)
		for _, err := range []error{readErr, waitErr, ttlErr, listErr, modeErr} {
			if err == nil {
				continue
			}
			p := ProblemOf(err)
			assert.True(t, p.Status >= 400 && p.Status < 500, "%v", err)
			text, err := json.Marshal(p)
			assert.NoError(t, err)
			assert.Less(t, len(text), 2000)
		}
	})
}

func FuzzLastEventID(f *testing.F) {
	for _, id := range []string{"1.1", "2.17", "", "1", "1.0", "-1.1", "1.99999999999999999999", "1.1\n", "٣.١"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		got, err := lastEventOf(http.Header{"Last-Event-Id": {id}})
		if err != nil {
			assert.Equal(t, 400, ProblemOf(err).Status)
			assert.Zero(t, got)
			return
		}
		assert.True(t, id == "" || got.String() == id)
	})
}
