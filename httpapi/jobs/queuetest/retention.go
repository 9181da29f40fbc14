package queuetest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

type kept struct {
	owner string
	size  int
	kept  bool
}

func retention(t *testing.T, d Driver) {
	for _, row := range []struct {
		name string
		edit func(*jobs.Bounds)
		jobs []kept
	}{
		{"the oldest goes first", func(b *jobs.Bounds) { b.MaxFinished = 2 },
			[]kept{{"a", 1, false}, {"a", 1, true}, {"a", 1, true}}},
		{"too many bytes go as too many jobs do", func(b *jobs.Bounds) { b.MaxFinishedBytes = 100 },
			[]kept{{"a", 60, false}, {"a", 30, true}, {"a", 50, true}}},
		{"who floods loses his own", func(b *jobs.Bounds) { b.MaxFinished = 3 },
			[]kept{{"a", 1, true}, {"b", 1, false}, {"b", 1, false}, {"b", 1, true}, {"b", 1, true}}},
		{"who fills it with bytes loses his own", func(b *jobs.Bounds) { b.MaxFinishedBytes = 100 },
			[]kept{{"a", 5, true}, {"a", 5, true}, {"b", 80, false}, {"b", 40, true}}},
		{"one verdict over the bound is still given", func(b *jobs.Bounds) { b.MaxFinishedBytes = 100 },
			[]kept{{"a", 200, true}}},
		{"nothing goes that is within the bounds", func(*jobs.Bounds) {},
			[]kept{{"a", 200, true}, {"b", 200, true}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			q := start(t, d)
			b := wide
			row.edit(&b)
			var ids []string
			for _, j := range row.jobs {
				ids = append(ids, q.add(job(j.owner)))
				q.finish(strings.Repeat("x", j.size))
				q.clock.Pass(time.Second)
			}
			waiting := q.add(job("a"))
			q.expire(b)
			q.reopen()
			assert.Zero(t, q.expire(b).Forgotten)
			for i, j := range row.jobs {
				_, err := q.Get(t.Context(), j.owner, ids[i])
				assert.Equal(t, j.kept, err == nil, "job %d", i)
			}
			assert.Equal(t, policy.Queued, q.get("a", waiting).Status, "what waits is not forgotten")
		})
	}

	q := start(t, d)
	old := job("a")
	old.Key = "k"
	q.add(old)
	q.finish("v")
	q.clock.Pass(time.Minute)
	b := wide
	b.MaxAge = time.Hour
	for range 700 {
		q.add(job("a"))
		q.finish("v")
	}
	q.clock.Pass(59 * time.Minute)
	assert.Equal(t, 1, q.expire(b).Forgotten)
	assert.NotEqual(t, old.ID, func() string { again := job("a"); again.Key = "k"; return q.add(again) }(), "its key is free again")
	q.clock.Pass(time.Minute)
	forgotten, more := 0, true
	for more {
		out := q.expire(b)
		forgotten, more = forgotten+out.Forgotten, out.More
	}
	assert.Equal(t, 700, forgotten, "in bounded steps")
	list, _, err := q.List(t.Context(), "a", jobs.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, list, 1)
}
