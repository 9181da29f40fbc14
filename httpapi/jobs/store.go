package jobs

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"safe-exec/policy"
)

// Config bounds a Store. All numbers must be positive.
type Config struct {
	Executor         policy.Executor
	Workers          int           // jobs that run at once
	MaxQueued        int           // jobs that wait, of all callers together
	MaxQueuedPerUID  int           // jobs of one caller that wait
	MaxFinished      int           // finished jobs kept
	MaxFinishedBytes int64         // stdout, stderr and result_json of these, in bytes
	MaxAge           time.Duration // how long a finished job is kept
}

// Job is a job as it stood at one moment. Result and Err are set once it has
// finished, one of them; a Result is shared and must not be changed.
type Job struct {
	ID       string
	Status   policy.Status // queued, running, or how it ended
	Created  time.Time
	Started  time.Time // zero until it runs
	Finished time.Time // zero until it has ended
	Result   *policy.Result
	Err      error // our failure, in place of a result
}

// entry is a job in the store. The store's mu guards all of it but the fields
// that never change.
type entry struct {
	owner uint32        // never changes
	done  chan struct{} // closed when it has finished
	req   policy.Request
	job   Job
	size  int64
	// cancel ends the run; nil unless it runs.
	cancel context.CancelFunc
	// cancelled says that the owner no longer wants it.
	cancelled bool
}

// Store holds the jobs. Make one with New, end it with Close.
type Store struct {
	cfg  Config
	ctx  context.Context // ends the runs
	stop context.CancelFunc
	wg   sync.WaitGroup
	wake chan struct{} // closed by Close; ends the janitor

	mu       sync.Mutex
	ready    sync.Cond // queue grew, or closing
	closing  bool
	entries  map[string]*entry
	queue    []*entry
	reserved map[uint32]int // places of the queue taken but not filled, by owner
	finished []*entry       // oldest first
	bytes    int64          // of finished
}

// New starts the workers.
func New(cfg Config) (*Store, error) {
	if cfg.Executor == nil {
		return nil, errors.New("jobs: no executor")
	}
	for _, n := range []int64{
		int64(cfg.Workers), int64(cfg.MaxQueued), int64(cfg.MaxQueuedPerUID),
		int64(cfg.MaxFinished), cfg.MaxFinishedBytes, int64(cfg.MaxAge),
	} {
		if n <= 0 {
			return nil, errors.New("jobs: every bound must be positive")
		}
	}
	s := &Store{cfg: cfg, entries: map[string]*entry{}, reserved: map[uint32]int{}, wake: make(chan struct{})}
	s.ready.L = &s.mu
	s.ctx, s.stop = context.WithCancel(context.Background())
	for range cfg.Workers {
		s.wg.Go(s.work)
	}
	s.wg.Go(s.forgetOld)
	return s, nil
}

// Reservation is a place in the queue for a job whose request has not been
// read yet. Release gives it back, and does nothing after Submit.
type Reservation struct {
	store *Store
	owner uint32
	spent bool
}

// Reserve takes a place in the queue. It fails with CodeBusy when the queue,
// or this owner's share, is full, and with CodeUnavailable after Close.
func (s *Store) Reserve(owner uint32) (*Reservation, error) {
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
		if e.owner == owner {
			own++
		}
	}
	switch {
	case all >= s.cfg.MaxQueued:
		return nil, &policy.Error{Code: policy.CodeBusy, Message: "the queue of jobs is full"}
	case own >= s.cfg.MaxQueuedPerUID:
		return nil, &policy.Error{Code: policy.CodeBusy, Message: "this caller has too many jobs waiting"}
	}
	s.reserved[owner]++
	return &Reservation{store: s, owner: owner}, nil
}

// Release gives the place back.
func (r *Reservation) Release() {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	r.spend()
}

// spend needs the store's mu.
func (r *Reservation) spend() bool {
	if r.spent {
		return false
	}
	r.spent = true
	if r.store.reserved[r.owner]--; r.store.reserved[r.owner] == 0 {
		delete(r.store.reserved, r.owner)
	}
	return true
}

// Submit turns the place into a job. It fails with CodeUnavailable after
// Close, and with CodeConflict on a place that is spent.
func (r *Reservation) Submit(req policy.Request) (Job, error) {
	s := r.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.spend() {
		return Job{}, &policy.Error{Code: policy.CodeConflict, Message: "this place in the queue is spent"}
	}
	if s.closing {
		return Job{}, errClosing
	}
	e := &entry{
		owner: r.owner, done: make(chan struct{}), req: req,
		// 26 characters of base32: 128 bits and more of the kernel's randomness.
		job: Job{ID: "job_" + rand.Text(), Status: policy.Queued, Created: time.Now()},
	}
	s.entries[e.job.ID] = e
	s.queue = append(s.queue, e)
	s.ready.Signal()
	return e.job, nil
}

// Get gives the job as it stands. A job of another owner, one that was
// forgotten and one that never was look alike: CodeNotFound.
func (s *Store) Get(owner uint32, id string) (Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(owner, id)
	if err != nil {
		return Job{}, err
	}
	return e.job, nil
}

// Wait is Get that first waits until the job has finished or ctx is done; that
// ctx is done is no error.
func (s *Store) Wait(ctx context.Context, owner uint32, id string) (Job, error) {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.job, nil
}

// Cancel ends the job: one that waits never runs, one that runs is killed
// (Wait tells when), one that has finished stays as it is.
func (s *Store) Cancel(owner uint32, id string) (Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(owner, id)
	if err != nil {
		return Job{}, err
	}
	switch e.job.Status {
	case policy.Queued:
		s.unqueue(e)
		s.finish(e, neverRan(e.job.ID), nil)
	case policy.Running:
		e.cancelled = true
		e.cancel()
	}
	return e.job, nil
}

// Close takes no more jobs, fails those that wait with CodeUnavailable, and
// waits for those that run. When ctx is done it kills them, waits for that
// too, and returns the context's error.
func (s *Store) Close(ctx context.Context) error {
	s.mu.Lock()
	if !s.closing {
		s.closing = true
		close(s.wake)
	}
	for _, e := range s.queue {
		s.finish(e, nil, errClosing)
	}
	s.queue = nil
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

// find needs mu.
func (s *Store) find(owner uint32, id string) (*entry, error) {
	e, ok := s.entries[id]
	if !ok || e.owner != owner {
		return nil, &policy.Error{Code: policy.CodeNotFound, Message: "there is no such job, or it has been forgotten"}
	}
	return e, nil
}

var errClosing error = &policy.Error{Code: policy.CodeUnavailable, Message: "the daemon is shutting down"}
