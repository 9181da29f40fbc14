package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"safe-exec/policy"
)

// work runs jobs, oldest first, until the store closes.
func (s *Store) work() {
	for {
		e, ctx := s.take()
		if e == nil {
			return
		}
		result, err := s.execute(ctx, e.req)
		if result != nil {
			result.Metrics.Queued(e.job.Started.Sub(e.job.Created))
		}
		s.mu.Lock()
		e.cancel()
		// Cancelled before the executor had a jail: it may well say so by an
		// error, and the owner asked for exactly that.
		if err != nil && e.cancelled {
			result, err = neverRan(e.job.ID), nil
		}
		s.finish(e, result, err)
		s.mu.Unlock()
	}
}

// take waits for the next job and marks it as running; nil when the store
// closes.
func (s *Store) take() (*entry, context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 && !s.closing {
		s.ready.Wait()
	}
	if s.closing {
		return nil, nil
	}
	e := s.queue[0]
	s.unqueue(e)
	ctx, cancel := context.WithCancel(context.WithValue(s.ctx, idKey{}, e.job.ID))
	e.cancel = cancel
	e.job.Status, e.job.Started = policy.Running, time.Now()
	return e, ctx
}

type idKey struct{}

// IDFrom gives the job that a context belongs to, for the executor's log.
func IDFrom(ctx context.Context) (string, bool) {
	id, ok := ctx.Value(idKey{}).(string)
	return id, ok
}

// execute turns a panic of the executor into this job's error: one bad job
// must not end all the others.
func (s *Store) execute(ctx context.Context, req policy.Request) (result *policy.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, &policy.Error{Code: policy.CodeInternal, Err: fmt.Errorf("panic: %v", p)}
		}
	}()
	result, err = s.cfg.Executor.Execute(ctx, req)
	if err == nil && result == nil {
		err = &policy.Error{Code: policy.CodeInternal, Err: fmt.Errorf("executor gave neither result nor error")}
	}
	return result, err
}

// unqueue needs mu. It leaves no reference behind in the queue's array.
func (s *Store) unqueue(e *entry) {
	if i := slices.Index(s.queue, e); i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
	}
}

// finish needs mu.
func (s *Store) finish(e *entry, result *policy.Result, err error) {
	e.req, e.cancel = policy.Request{}, nil
	e.job.Finished = time.Now()
	if err != nil {
		e.job.Status, e.job.Err = policy.Errored, err
	} else {
		e.job.Status, e.job.Result = result.Status, result
		e.size = sizeOf(result)
	}
	s.finished = append(s.finished, e)
	s.bytes += e.size
	for len(s.finished) > s.cfg.MaxFinished || s.bytes > s.cfg.MaxFinishedBytes && len(s.finished) > 1 {
		s.forget(s.oldestOfGreediest())
	}
	close(e.done)
}

// oldestOfGreediest needs mu. It picks the oldest finished job of the owner
// who keeps most: who floods the store pushes out his own results.
func (s *Store) oldestOfGreediest() int {
	share := map[uint32]float64{}
	for _, e := range s.finished {
		share[e.owner] += 1/float64(s.cfg.MaxFinished) + float64(e.size)/float64(s.cfg.MaxFinishedBytes)
	}
	worst := 0
	for i, e := range s.finished {
		if share[e.owner] > share[s.finished[worst].owner] {
			worst = i
		}
	}
	return worst
}

// forget needs mu.
func (s *Store) forget(i int) {
	e := s.finished[i]
	s.finished = slices.Delete(s.finished, i, i+1)
	s.bytes -= e.size
	delete(s.entries, e.job.ID)
}

// forgetOld drops results past their age, whether or not anybody asks for
// anything.
func (s *Store) forgetOld() {
	tick := time.NewTicker(max(s.cfg.MaxAge/8, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-s.wake:
			return
		case now := <-tick.C:
			s.mu.Lock()
			for len(s.finished) > 0 && now.Sub(s.finished[0].job.Finished) > s.cfg.MaxAge {
				s.forget(0)
			}
			s.mu.Unlock()
		}
	}
}

// neverRan is the verdict on a job that was cancelled before it ran.
func neverRan(id string) *policy.Result {
	return &policy.Result{
		Status: policy.Cancelled, ExecutionID: id, ResultJSON: []byte("null"),
		Termination: policy.Termination{
			Reason:   policy.ReasonCancelled,
			Evidence: []policy.Evidence{},
			Hint:     "The job was cancelled before it ran.",
		},
		Denials: []policy.Denial{}, Violations: []policy.Violation{}, Files: []policy.File{}, FilesSkipped: []policy.SkippedFile{}, Layers: []policy.Layer{},
	}
}

// sizeOf is about what a result holds in memory, in bytes: all of its texts,
// since a program has a say in the length of each.
func sizeOf(r *policy.Result) int64 {
	n := len(r.Stdout) + len(r.Stderr) + len(r.ResultJSON) + len(r.Termination.Message) + len(r.Termination.Hint)
	for _, v := range r.Violations {
		n += len(v.Rule) + len(v.Name) + len(v.Message) + 64
	}
	for _, d := range r.Denials {
		n += len(d.Syscall) + 32
	}
	for _, e := range r.Termination.Evidence {
		n += len(e.Source) + len(e.Name) + len(e.Value) + 48
	}
	return int64(n)
}
