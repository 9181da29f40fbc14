package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"safe-exec/policy"
)

// Config bounds a Store. All numbers must be positive but for those with a default.
type Config struct {
	Executor          policy.Executor
	MayRun            func() error  // an error means that runs would be refused: jobs wait; nil for never
	Queue             Queue         // the caller opens and closes it
	Workers           int           // jobs that run at once
	MaxQueued         int           // jobs that wait, of all owners together
	MaxQueuedPerOwner int           // jobs of one owner that wait
	Apart             Owner         // one whose jobs are not among all: he has MaxQueuedPerOwner places beside them; default nobody
	MaxFinished       int           // finished jobs kept
	MaxFinishedBytes  int64         // size of their verdicts: output, files, all
	MaxAge            time.Duration // how long a finished job is kept
	MaxAttempts       int           // starts of one job; default 3
	Lease             time.Duration // how long a worker that says nothing keeps its job; default 30s
	// Problem gives the document that tells a reader of events of our failure;
	// default: its code and message.
	Problem func(error) any
	// Ended hears of each job that has ended without a verdict of Executor: cancelled
	// or expired while it waited, or out of attempts. Default: nobody.
	Ended  func(Job)
	Logger *slog.Logger // default: none
}

func (c Config) withDefaults() (Config, error) {
	if c.Executor == nil || c.Queue == nil {
		return c, errors.New("jobs: no executor or no queue")
	}
	if c.MaxAttempts == 0 {
		c.MaxAttempts = 3
	}
	if c.Lease == 0 {
		c.Lease = 30 * time.Second
	}
	if c.Problem == nil {
		c.Problem = func(err error) any { return policy.ErrorOf(err) }
	}
	if c.MayRun == nil {
		c.MayRun = func() error { return nil }
	}
	if c.Ended == nil {
		c.Ended = func(Job) {}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	for _, n := range []int64{
		int64(c.Workers), int64(c.MaxQueued), int64(c.MaxQueuedPerOwner), int64(c.MaxFinished),
		c.MaxFinishedBytes, int64(c.MaxAge), int64(c.MaxAttempts), int64(c.Lease),
	} {
		if n <= 0 {
			return c, errors.New("jobs: every bound must be positive")
		}
	}
	return c, nil
}

// Store runs the jobs of a Queue. Make one with New, end it with Close.
type Store struct {
	cfg     Config
	ctx     context.Context // ends the runs
	stop    context.CancelFunc
	workers sync.WaitGroup
	keeper  sync.WaitGroup
	ready   chan struct{} // a token for each worker that should look for a job
	sweep   chan struct{} // asks for an Expire now
	closing chan struct{} // closed by Close: no more jobs are taken or begun
	closed  chan struct{} // closed when no worker is left
	once    sync.Once

	admit sync.Mutex // one reservation counts at a time

	checking sync.Mutex // of Ready
	checked  time.Time
	wrong    error

	mu       sync.Mutex
	reserved map[Owner]int // places of the queue taken but not filled
	live     map[Ref]*live // jobs that run here or that somebody follows
	ended    int           // jobs that ended since the last Expire
	bytes    int64         // of these
}

// New takes up what an earlier process left, and starts the workers.
func New(cfg Config) (*Store, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Store{
		cfg: cfg, reserved: map[Owner]int{}, live: map[Ref]*live{},
		ready: make(chan struct{}, cfg.Workers), sweep: make(chan struct{}, 1),
		closing: make(chan struct{}), closed: make(chan struct{}),
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	if err := s.expire(); err != nil {
		s.stop()
		return nil, err
	}
	for range cfg.Workers {
		s.workers.Go(s.work)
	}
	s.keeper.Go(s.keep)
	return s, nil
}

// Close takes no more jobs and waits for those that run. When ctx is done it kills
// them, waits for that too, and returns the context's error: they go back to the
// queue. What waits stays there, for the next process.
func (s *Store) Close(ctx context.Context) error {
	s.once.Do(func() { close(s.closing) })
	idle := make(chan struct{})
	go func() {
		s.workers.Wait()
		close(idle)
	}()
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = ctx.Err()
		s.stop()
		<-idle
	}
	s.stop()
	s.keeper.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	for ref, l := range s.live {
		if l.log != nil {
			l.log.Break()
		}
		delete(s.live, ref)
	}
	return err
}

func (s *Store) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

var errClosing error = &policy.Error{Code: policy.CodeUnavailable, Message: "the daemon is shutting down"}
