// Package jobs runs programs whose callers do not wait on the line.
package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"safe-exec/httpapi/events"
	"safe-exec/policy"
)

type Owner = string

// Config bounds a Store.
type Config struct {
	Executor          policy.Executor
	Workers           int
	MaxQueued         int
	MaxQueuedPerOwner int
	MaxFinished       int
	Problem           func(error) any
}

// Submission is what becomes a job.
type Submission struct {
	Request policy.Request
	Weight  float64
	Key     string
	Digest  [32]byte
	TTL     time.Duration
}

// ListOptions says which jobs to list.
type ListOptions struct {
	Status policy.Status
	After  string
	Limit  int
}

// Job is a job as it stood at one moment.
type Job struct {
	ID       string
	Owner    Owner
	Status   policy.Status
	Created  time.Time
	Started  time.Time
	Finished time.Time
	Expires  time.Time
	Attempt  int
	Result   *policy.Result
	Err      error
}

type entry struct {
	job       Job
	sub       Submission
	done      chan struct{}
	log       *events.Log
	cancel    context.CancelFunc
	cancelled bool
}

// Store holds jobs in memory.
type Store struct {
	cfg  Config
	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu       sync.Mutex
	ready    sync.Cond
	closing  bool
	all      []*entry
	queue    []*entry
	reserved map[Owner]int
}

// New starts the workers.
func New(cfg Config) (*Store, error) {
	s := &Store{cfg: cfg, reserved: map[Owner]int{}}
	s.ready.L = &s.mu
	s.ctx, s.stop = context.WithCancel(context.Background())
	for range cfg.Workers {
		s.wg.Go(s.work)
	}
	return s, nil
}

// Reservation is a place in the queue.
type Reservation struct {
	store *Store
	owner Owner
	spent bool
}

// Reserve takes a place in the queue.
func (s *Store) Reserve(owner Owner) (*Reservation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil, errClosing
	}
	all, own := len(s.queue), s.reserved[owner]
	for _, n := range s.reserved {
		all += n
	}
	for _, e := range s.queue {
		if e.job.Owner == owner {
			own++
		}
	}
	if all >= s.cfg.MaxQueued || own >= s.cfg.MaxQueuedPerOwner {
		return nil, &policy.Error{Code: policy.CodeBusy, Message: "the queue of jobs is full"}
	}
	s.reserved[owner]++
	return &Reservation{store: s, owner: owner}, nil
}

// Release gives the place back.
func (r *Reservation) Release() {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	if !r.spent {
		r.spent = true
		r.store.reserved[r.owner]--
	}
}

// Submit turns the place into a job.
func (r *Reservation) Submit(_ context.Context, sub Submission) (Job, bool, error) {
	r.Release()
	s := r.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return Job{}, false, errClosing
	}
	for _, e := range s.all {
		if sub.Key == "" || e.job.Owner != r.owner || e.sub.Key != sub.Key {
			continue
		}
		if e.sub.Digest != sub.Digest {
			return Job{}, false, &policy.Error{Code: policy.CodeConflict, Field: "Idempotency-Key", Message: "this key was used with another body"}
		}
		return e.job, true, nil
	}
	now := time.Now()
	e := &entry{sub: sub, done: make(chan struct{}), log: events.New(1), job: Job{
		ID: "job_" + rand.Text(), Owner: r.owner, Status: policy.Queued, Created: now, Expires: now.Add(sub.TTL),
	}}
	e.log.Queued(e.job.ID, e.job.Expires)
	s.all, s.queue = append(s.all, e), append(s.queue, e)
	s.ready.Signal()
	return e.job, false, nil
}

func (s *Store) find(owner Owner, id string) (*entry, error) {
	for _, e := range s.all {
		if e.job.ID == id && e.job.Owner == owner {
			return e, nil
		}
	}
	return nil, &policy.Error{Code: policy.CodeNotFound, Message: "there is no such job, or it has been forgotten"}
}

// Get gives the job as it stands.
func (s *Store) Get(_ context.Context, owner Owner, id string) (Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(owner, id)
	if err != nil {
		return Job{}, err
	}
	return e.job, nil
}

// Wait is Get that first waits for the end of the job or of ctx.
func (s *Store) Wait(ctx context.Context, owner Owner, id string) (Job, error) {
	s.mu.Lock()
	e, err := s.find(owner, id)
	s.mu.Unlock()
	if err != nil {
		return Job{}, err
	}
	select {
	case <-e.done:
	case <-ctx.Done():
	}
	return s.Get(ctx, owner, id)
}

// Cancel ends the job.
func (s *Store) Cancel(_ context.Context, owner Owner, id string) (Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(owner, id)
	if err != nil {
		return Job{}, err
	}
	switch e.job.Status {
	case policy.Queued:
		s.queue = slices.DeleteFunc(s.queue, func(q *entry) bool { return q == e })
		s.finish(e, neverRan(id), nil)
	case policy.Running:
		e.cancelled = true
		e.cancel()
	}
	return e.job, nil
}

// List gives the owner's jobs, newest first, without results.
func (s *Store) List(_ context.Context, owner Owner, o ListOptions) (found []Job, next string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := len(s.all)
	if o.After != "" {
		if from, err = strconv.Atoi(o.After); err != nil || from < 0 || from > len(s.all) {
			return nil, "", policy.Invalid("after", "after is no cursor")
		}
	}
	for i := from - 1; i >= 0; i-- {
		e := s.all[i]
		if e.job.Owner != owner || o.Status != "" && e.job.Status != o.Status {
			continue
		}
		if len(found) == o.Limit {
			return found, strconv.Itoa(i + 1), nil
		}
		j := e.job
		j.Result = nil
		found = append(found, j)
	}
	return found, "", nil
}

// Events gives the record of the job.
func (s *Store) Events(_ context.Context, owner Owner, id string) (*events.Log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(owner, id)
	if err != nil {
		return nil, err
	}
	return e.log, nil
}

// Close takes no more jobs and waits for those that run.
func (s *Store) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	for _, e := range s.queue {
		e.log.Break()
	}
	s.ready.Broadcast()
	s.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(idle)
	}()
	defer s.stop()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		s.stop()
		<-idle
		return ctx.Err()
	}
}

func (s *Store) work() {
	for {
		s.mu.Lock()
		for len(s.queue) == 0 && !s.closing {
			s.ready.Wait()
		}
		if s.closing {
			s.mu.Unlock()
			return
		}
		e := s.queue[0]
		s.queue = s.queue[1:]
		ctx, cancel := context.WithCancel(context.WithValue(s.ctx, idKey{}, e.job.ID))
		e.cancel = cancel
		e.job.Status, e.job.Started, e.job.Attempt = policy.Running, time.Now(), 1
		s.mu.Unlock()
		req := e.sub.Request
		req.Watch = e.log.Watch
		result, err := s.execute(ctx, req)
		if result != nil {
			result.Metrics.Queued(e.job.Started.Sub(e.job.Created))
		}
		s.mu.Lock()
		cancel()
		if err != nil && e.cancelled {
			result, err = neverRan(e.job.ID), nil
		}
		s.finish(e, result, err)
		s.mu.Unlock()
	}
}

func (s *Store) problem(err error) any {
	if s.cfg.Problem == nil {
		return nil
	}
	return s.cfg.Problem(err)
}

func (s *Store) execute(ctx context.Context, req policy.Request) (result *policy.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, &policy.Error{Code: policy.CodeInternal, Err: fmt.Errorf("panic: %v", p)}
		}
	}()
	result, err = s.cfg.Executor.Execute(ctx, req)
	if err == nil && result == nil {
		err = errors.New("executor gave neither result nor error")
	}
	return result, err
}

func (s *Store) finish(e *entry, result *policy.Result, err error) {
	e.job.Finished = time.Now()
	if err != nil {
		e.job.Status, e.job.Err = policy.Errored, err
		e.log.Fail(s.problem(err))
	} else {
		e.job.Status, e.job.Result = result.Status, result
		r := *result
		for _, null := range []func(){
			func() { r.Denials = append([]policy.Denial{}, r.Denials...) },
			func() { r.Violations = append([]policy.Violation{}, r.Violations...) },
			func() { r.Files = append([]policy.File{}, r.Files...) },
			func() { r.FilesSkipped = append([]policy.SkippedFile{}, r.FilesSkipped...) },
			func() { r.Layers = append([]policy.Layer{}, r.Layers...) },
			func() { r.PolicyDeny = append([]string{}, r.PolicyDeny...) },
			func() { r.Termination.Evidence = append([]policy.Evidence{}, r.Termination.Evidence...) },
		} {
			null()
		}
		e.log.Result(&r)
	}
	close(e.done)
}

type idKey struct{}

// IDFrom gives the job that a context belongs to, for the executor's log.
func IDFrom(ctx context.Context) (string, bool) {
	id, ok := ctx.Value(idKey{}).(string)
	return id, ok
}

func neverRan(id string) *policy.Result {
	return &policy.Result{
		Status: policy.Cancelled, ExecutionID: id, ResultJSON: []byte("null"),
		Termination: policy.Termination{Reason: policy.ReasonCancelled, Hint: "The job was cancelled before it ran."},
	}
}

var errClosing error = &policy.Error{Code: policy.CodeUnavailable, Message: "the daemon is shutting down"}
