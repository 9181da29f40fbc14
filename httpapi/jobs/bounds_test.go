package jobs

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestNoBoundMayBeMissing(t *testing.T) {
	good := Config{Executor: newScript(), Workers: 1, MaxQueued: 1, MaxQueuedPerUID: 1, MaxFinished: 1, MaxFinishedBytes: 1, MaxAge: 1}
	for name, edit := range map[string]func(*Config){
		"no executor":        func(c *Config) { c.Executor = nil },
		"no workers":         func(c *Config) { c.Workers = 0 },
		"no queue":           func(c *Config) { c.MaxQueued = 0 },
		"no share of it":     func(c *Config) { c.MaxQueuedPerUID = 0 },
		"no results":         func(c *Config) { c.MaxFinished = -1 },
		"no bytes of these":  func(c *Config) { c.MaxFinishedBytes = 0 },
		"no age of a result": func(c *Config) { c.MaxAge = 0 },
	} {
		cfg := good
		edit(&cfg)
		_, err := New(cfg)
		assert.Error(t, err, name)
	}
}

func TestTheQueueIsBounded(t *testing.T) {
	e := newScript()
	s := open(t, e, func(c *Config) { c.MaxQueued, c.MaxQueuedPerUID = 3, 2 })
	submit(t, s, 1, "hold")
	<-e.started // it left the queue
	submit(t, s, 1, "hold")
	place, err := s.Reserve(1)
	require.NoError(t, err)
	_, err = s.Reserve(1)
	assert.Equal(t, policy.CodeBusy, codeOf(err), "a reserved place counts for its owner")
	submit(t, s, 2, "hold")
	_, err = s.Reserve(3)
	assert.Equal(t, policy.CodeBusy, codeOf(err), "a reserved place counts for all")
	place.Release()
	place.Release()
	submit(t, s, 3, "hold")
	_, err = s.Reserve(3)
	assert.Equal(t, policy.CodeBusy, codeOf(err), "releasing twice frees one place")
	_, err = place.Submit(policy.Request{})
	assert.Equal(t, policy.CodeConflict, codeOf(err), "a released place takes no job")
}

func TestACancelledJobLeavesItsPlace(t *testing.T) {
	e := newScript()
	s := open(t, e, func(c *Config) { c.MaxQueued, c.MaxQueuedPerUID = 1, 1 })
	submit(t, s, 1, "hold")
	<-e.started
	id := submit(t, s, 1, "hold")
	_, err := s.Cancel(1, id)
	require.NoError(t, err)
	submit(t, s, 1, "hold")
}

type finished struct {
	owner uint32
	size  int
}

func TestFinishedJobsAreBounded(t *testing.T) {
	for _, row := range []struct {
		name string
		edit func(*Config)
		jobs []finished
		kept []bool
	}{
		{"the oldest goes first", func(c *Config) { c.MaxFinished = 2 },
			[]finished{{1, 1}, {1, 1}, {1, 1}}, []bool{false, true, true}},
		{"too many bytes go as too many jobs do", func(c *Config) { c.MaxFinishedBytes = 100 },
			[]finished{{1, 60}, {1, 30}, {1, 50}}, []bool{false, true, true}},
		{"who floods loses his own", func(c *Config) { c.MaxFinished = 3 },
			[]finished{{1, 1}, {2, 1}, {2, 1}, {2, 1}, {2, 1}}, []bool{true, false, false, true, true}},
		{"who fills it with bytes loses his own", func(c *Config) { c.MaxFinishedBytes = 100 },
			[]finished{{1, 5}, {1, 5}, {2, 80}, {2, 40}}, []bool{true, true, false, true}},
		{"one result over the bound is still given once", func(c *Config) { c.MaxFinishedBytes = 100 },
			[]finished{{1, 200}}, []bool{true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := open(t, newScript(), row.edit)
			var ids []string
			for _, j := range row.jobs {
				id := submit(t, s, j.owner, strings.Repeat("x", j.size))
				wait(t, s, j.owner, id)
				ids = append(ids, id)
			}
			for i, j := range row.jobs {
				_, err := s.Get(j.owner, ids[i])
				assert.Equal(t, row.kept[i], err == nil, "job %d", i)
			}
		})
	}
}

func TestOldResultsGoThoughNobodyAsks(t *testing.T) {
	s := open(t, newScript(), func(c *Config) { c.MaxAge = 20 * time.Millisecond })
	id := submit(t, s, 1, "print")
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.entries) == 0 && s.bytes == 0
	}, 10*time.Second, time.Millisecond)
	_, err := s.Get(1, id)
	assert.Equal(t, policy.CodeNotFound, codeOf(err))
}

func TestCloseFinishesWhatRunsAndFailsWhatWaits(t *testing.T) {
	e := newScript()
	s := open(t, e, nil)
	running, queued := submit(t, s, 1, "hold"), submit(t, s, 1, "hold")
	<-e.started
	place, err := s.Reserve(1)
	require.NoError(t, err)
	closed := make(chan error, 1)
	go func() { closed <- s.Close(context.Background()) }()
	job := wait(t, s, 1, queued)
	assert.Equal(t, policy.CodeUnavailable, codeOf(job.Err))
	_, err = s.Reserve(1)
	assert.Equal(t, policy.CodeUnavailable, codeOf(err))
	_, err = place.Submit(policy.Request{})
	assert.Equal(t, policy.CodeUnavailable, codeOf(err))
	close(e.release)
	assert.NoError(t, <-closed)
	assert.Equal(t, policy.Succeeded, wait(t, s, 1, running).Status)
	assert.EqualValues(t, 1, e.runs.Load())
	assert.NoError(t, s.Close(context.Background()), "closing twice is no error")
}

func TestCloseIsBounded(t *testing.T) {
	e := newScript()
	s := open(t, e, nil)
	id := submit(t, s, 1, "hold")
	<-e.started
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, s.Close(ctx), context.Canceled)
	assert.Equal(t, policy.Cancelled, wait(t, s, 1, id).Status)
}
