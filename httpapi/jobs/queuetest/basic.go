package queuetest

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

func wayOfAJob(t *testing.T, d Driver) {
	q := start(t, d)
	assert.Nil(t, q.claim(), "an empty queue")
	created := q.clock.Wall()
	id := q.add(job("a"))
	r := q.get("a", id)
	assert.Equal(t, policy.Queued, r.Status)
	assert.True(t, r.Created.Equal(created))
	assert.True(t, r.Expires.Equal(created.Add(time.Hour)))
	assert.True(t, r.Started.IsZero() && r.Finished.IsZero())
	q.clock.Pass(time.Second)
	c := q.claim()
	require.NotNil(t, c)
	assert.Equal(t, jobs.Lease{ID: id, Attempt: 1}, c.Lease())
	assert.Equal(t, "a", c.Owner)
	assert.Equal(t, `{"Code":"1"}`, string(c.Request))
	assert.Equal(t, time.Second, c.Waited)
	assert.Equal(t, policy.Running, q.get("a", id).Status)
	all, own, err := q.Depth(t.Context(), "a")
	assert.NoError(t, err)
	assert.Equal(t, [2]int{0, 0}, [2]int{all, own})
	q.clock.Pass(time.Second)
	require.NoError(t, q.Complete(t.Context(), c.Lease(), verdict("v")))
	assert.ErrorIs(t, q.Complete(t.Context(), c.Lease(), verdict("w")), jobs.ErrLost, "a second verdict")
	_, err = q.Heartbeat(t.Context(), c.Lease(), lease)
	assert.ErrorIs(t, err, jobs.ErrLost)
	r = q.get("a", id)
	assert.Equal(t, policy.Succeeded, r.Status)
	assert.Equal(t, "v", string(r.Verdict))
	assert.True(t, r.Started.Equal(created.Add(time.Second)) && r.Finished.Equal(created.Add(2*time.Second)))
	assert.Equal(t, 1, r.Attempt)
	assert.Nil(t, q.claim(), "it does not run again")
	for _, other := range []string{"b", "A", "a ", ""} {
		_, err := q.Get(t.Context(), other, id)
		assert.Equal(t, jobs.NotFound(), err, "owner %q", other)
		_, err = q.Cancel(t.Context(), other, id)
		assert.Equal(t, jobs.NotFound(), err, "owner %q", other)
	}
}

func reopening(t *testing.T, d Driver) {
	q := start(t, d)
	running, cancelled, waiting := q.add(job("a")), q.add(job("a")), q.add(job("a"))
	held, other := q.claim(), q.claim()
	require.Equal(t, running, held.ID)
	_, err := q.Cancel(t.Context(), "a", cancelled)
	require.NoError(t, err)
	q.reopen()
	assert.ErrorIs(t, q.Complete(t.Context(), held.Lease(), verdict("v")), jobs.ErrLost, "a lease of before")
	assert.ErrorIs(t, q.Complete(t.Context(), other.Lease(), verdict("v")), jobs.ErrLost)
	out := q.expire(wide)
	assert.Equal(t, refs("a", running), out.Requeued)
	assert.Equal(t, refs("a", cancelled), out.Ended)
	assert.Equal(t, policy.Cancelled, q.get("a", cancelled).Status)
	again := q.claim()
	assert.Equal(t, jobs.Lease{ID: running, Attempt: 2}, again.Lease(), "it comes before what waited behind it")
	assert.Equal(t, waiting, q.claim().ID)
	require.NoError(t, q.Complete(t.Context(), again.Lease(), verdict("v")))
	q.reopen()
	assert.Equal(t, "v", string(q.get("a", running).Verdict))
	require.NoError(t, q.Close())
	assert.NoError(t, q.Close(), "closing twice")
	_, _, err = q.Enqueue(t.Context(), job("a"))
	assert.Equal(t, policy.CodeUnavailable, codeOf(err))
	_, err = q.Get(t.Context(), "a", running)
	assert.Equal(t, policy.CodeUnavailable, codeOf(err))
}

func bounds(t *testing.T, d Driver) {
	q := start(t, d)
	for name, edit := range map[string]func(*jobs.Entry){
		"no id":                 func(j *jobs.Entry) { j.ID = "" },
		"a long id":             func(j *jobs.Entry) { j.ID = strings.Repeat("x", jobs.MaxIDBytes+1) },
		"no owner":              func(j *jobs.Entry) { j.Owner = "" },
		"a long owner":          func(j *jobs.Entry) { j.Owner = strings.Repeat("x", jobs.MaxOwnerBytes+1) },
		"no weight":             func(j *jobs.Entry) { j.Weight = 0 },
		"a weight without end":  func(j *jobs.Entry) { j.Weight = math.Inf(1) },
		"a weight that is none": func(j *jobs.Entry) { j.Weight = math.NaN() },
		"a long key":            func(j *jobs.Entry) { j.Key = strings.Repeat("x", jobs.MaxKeyBytes+1) },
		"no time":               func(j *jobs.Entry) { j.TTL = 0 },
		"no request":            func(j *jobs.Entry) { j.Request = nil },
	} {
		j := job("a")
		edit(&j)
		_, _, err := q.Enqueue(t.Context(), j)
		assert.Equal(t, policy.CodeInvalid, codeOf(err), name)
	}
	for name, edit := range map[string]func(*jobs.Entry){
		"the longest id":      func(j *jobs.Entry) { j.ID = strings.Repeat("x", jobs.MaxIDBytes) },
		"the longest owner":   func(j *jobs.Entry) { j.Owner = strings.Repeat("x", jobs.MaxOwnerBytes) },
		"the least weight":    func(j *jobs.Entry) { j.Weight = jobs.MinWeight },
		"the greatest weight": func(j *jobs.Entry) { j.Weight = jobs.MaxWeight },
		"the longest key":     func(j *jobs.Entry) { j.Key = strings.Repeat("x", jobs.MaxKeyBytes) },
		"most at once":        func(j *jobs.Entry) { j.AtOnce = jobs.MaxAtOnce },
		"the longest time":    func(j *jobs.Entry) { j.TTL = math.MaxInt64 },
		"the largest request": func(j *jobs.Entry) { j.Request = make([]byte, jobs.MaxRequestBytes) },
	} {
		j := job("a")
		edit(&j)
		_, _, err := q.Enqueue(t.Context(), j)
		require.NoError(t, err, name)
		c := q.claim()
		require.NotNil(t, c, name)
		require.Equal(t, j.ID, c.ID, name)
		require.Len(t, c.Request, len(j.Request), name)
		require.NoError(t, q.Complete(t.Context(), c.Lease(), verdict("v")), name)
	}
	largest := q.add(job("a"))
	require.NoError(t, q.Complete(t.Context(), q.claim().Lease(), jobs.Verdict{Status: policy.Succeeded, Body: make([]byte, jobs.MaxVerdictBytes)}))
	assert.Len(t, q.get("a", largest).Verdict, jobs.MaxVerdictBytes)
	id := q.add(job("a"))
	c := q.claim()
	for _, v := range []jobs.Verdict{{}, {Status: policy.Succeeded}, {Status: policy.Running, Body: []byte("v")}} {
		assert.Equal(t, policy.CodeInternal, codeOf(q.Complete(t.Context(), c.Lease(), v)))
	}
	assert.Equal(t, policy.Running, q.get("a", id).Status)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := q.Get(ctx, "a", id)
	assert.Equal(t, policy.CodeUnavailable, codeOf(err))
}

func idempotency(t *testing.T, d Driver) {
	q := start(t, d)
	first := job("a")
	first.Key, first.Digest = "k", [32]byte{1}
	id := q.add(first)
	for _, row := range []struct {
		name    string
		owner   string
		key     string
		digest  byte
		existed bool
		code    policy.Code
	}{
		{"the same is the same job", "a", "k", 1, true, ""},
		{"another body is refused", "a", "k", 2, false, policy.CodeConflict},
		{"another key is another job", "a", "l", 1, false, ""},
		{"another owner's key is another job", "b", "k", 2, false, ""},
		{"no key is another job", "a", "", 1, false, ""},
	} {
		for _, when := range []string{"", " after a restart", " when it is done"} {
			j := job(row.owner)
			j.Key, j.Digest = row.key, [32]byte{row.digest}
			if !row.existed && row.code == "" && when != "" && row.key != "" {
				continue // by now it exists
			}
			switch when {
			case " after a restart":
				q.reopen()
			case " when it is done":
				if c := q.claim(); c != nil {
					require.NoError(t, q.Complete(t.Context(), c.Lease(), verdict("v")))
				}
			}
			found, err := q.Find(t.Context(), j.Owner, j.Key, j.Digest)
			if row.code != "" {
				assert.Equal(t, row.code, codeOf(err), "looking for it: "+row.name+when)
			} else {
				assert.NoError(t, err, "looking for it: "+row.name+when)
			}
			assert.Equal(t, row.existed, found != nil && found.ID == id, "looking for it: "+row.name+when)
			r, existed, err := q.Enqueue(t.Context(), j)
			assert.Equal(t, row.existed, existed, row.name+when)
			if row.code != "" {
				assert.Equal(t, row.code, codeOf(err), row.name+when)
				continue
			}
			require.NoError(t, err, row.name+when)
			assert.Equal(t, row.existed, r.ID == id, row.name+when)
		}
	}
}

func listing(t *testing.T, d Driver) {
	q := start(t, d)
	var ids []string
	for range 7 {
		ids = append([]string{q.add(job("a"))}, ids...)
		q.add(job("b"))
	}
	var got []string
	o := jobs.ListOptions{Limit: 3}
	for page := 0; ; page++ {
		list, next, err := q.List(t.Context(), "a", o)
		require.NoError(t, err)
		for _, r := range list {
			got = append(got, r.ID)
		}
		if next == "" {
			assert.Equal(t, 2, page)
			break
		}
		o.After = next
	}
	assert.Equal(t, ids, got)
	q.finish("v")
	list, next, err := q.List(t.Context(), "a", jobs.ListOptions{Status: policy.Succeeded})
	require.NoError(t, err)
	assert.Empty(t, next)
	require.Len(t, list, 1)
	assert.Empty(t, list[0].Verdict)
	for name, bad := range map[string]jobs.ListOptions{
		"a cursor of another owner": {After: "job_other"}, "too many": {Limit: jobs.MaxList + 1},
		"less than none": {Limit: -1}, "no status": {Status: "done"},
	} {
		_, _, err := q.List(t.Context(), "a", bad)
		assert.Equal(t, policy.CodeInvalid, codeOf(err), name)
	}
}
