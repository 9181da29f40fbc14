package broker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"safe-exec/internal/link"
	"safe-exec/nsjail/landlock"
	"safe-exec/seccomp"
)

// Config is what a Supervisor starts brokers from.
type Config struct {
	UID, GID  uint32          // unprivileged, and nobody else's; never 0
	Dir       string          // its directory, see Claim
	Program   string          // what to execute; default: this program
	Args      []string        // of it; the directory and the number of listeners follow
	Filter    seccomp.Program // for all its threads
	Listeners []*os.File      // sockets that it accepts on
	Stderr    *os.File        // takes its log
	Settings  []byte          // what Joined.Config gives there
	Link      link.ServerConfig
	Log       *slog.Logger
	// DrainTimeout is how long a broker may take to let running programs finish and
	// replies be taken; default DefaultDrain.
	DrainTimeout time.Duration
}

// DefaultDrain is more than a broker takes that is well: half a minute for programs,
// ten seconds for replies, and its database and ledger to be closed on a slow disk.
// Whoever stops the daemon must be patient for longer, or this is cut short.
const DefaultDrain = 90 * time.Second

// Status is the broker as it was last looked at.
type Status struct {
	UID, GID    uint32
	LandlockABI int
	Filter      string    // SHA-256 of its system call filter
	Proved      time.Time // when it was as it should be; zero: never
	Tried       []string  // what it was refused, by its own word at a time when nobody could have told it anything
	Starts      int       // brokers that this daemon has had
}

// Bounds on starting and ending a broker.
const (
	greetTimeout = 10 * time.Second // to confine itself, a millisecond on an idle host
	readyTimeout = time.Minute      // to open its database
	maxFailures  = 10               // starts in a row that came to nothing
	firstWait    = 100 * time.Millisecond
	longestWait  = 5 * time.Second
	steady       = time.Minute // a broker that lived so long is no failure
)

// Supervisor keeps a broker running.
type Supervisor struct {
	cfg     Config
	abi     int
	ruleset int // Landlock
	// after is time.After: behind a broker that ended, the next waits for its start.
	after func(time.Duration) <-chan time.Time

	mu     sync.Mutex
	status Status
}

// New prepares what all brokers of a daemon share. It needs root and Landlock.
func New(cfg Config) (*Supervisor, error) {
	if cfg.UID == 0 || cfg.GID == 0 {
		return nil, errors.New("broker: it must have a uid and a gid other than root's")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if cfg.Program == "" {
		cfg.Program = "/proc/self/exe" // the same program, though its file is replaced
	} else {
		program = cfg.Program
	}
	if cfg.DrainTimeout <= 0 {
		cfg.DrainTimeout = DefaultDrain
	}
	if err := onlyOurs(); err != nil {
		return nil, err
	}
	s := &Supervisor{cfg: cfg, after: time.After}
	if s.abi, err = landlock.ABI(); err != nil {
		return nil, err
	}
	// Made once: the rules keep their files, whatever becomes of the paths.
	s.ruleset, err = landlock.Config{ReadWrite: []string{cfg.Dir}, ExecFiles: []string{program}}.Create(s.abi)
	if err != nil {
		return nil, fmt.Errorf("broker: landlock ruleset: %w", err)
	}
	s.cfg.Args = append(append([]string{}, cfg.Args...), cfg.Dir, strconv.Itoa(len(cfg.Listeners)))
	s.status = Status{UID: cfg.UID, GID: cfg.GID, LandlockABI: s.abi, Filter: cfg.Filter.Digest()}
	return s, nil
}

// Status is what is known of the broker.
func (s *Supervisor) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// started is a broker that has been proved.
type started struct {
	*process
	server *link.Server
}

// serve answers the broker. The channel gives once why the link ended.
func (b *started) serve() <-chan error {
	over := make(chan error, 1)
	go func() { over <- b.server.Serve() }()
	return over
}

// wasReady tells whether the broker has said that it serves. It may end right after, so
// only this is true of a broker that has ended: a select may see its end first.
func (b *started) wasReady() bool {
	select {
	case <-b.server.Ready():
		return true
	default:
		return false
	}
}

// Start starts one broker and gives it the configuration once it is proved.
func (s *Supervisor) start() (*started, error) {
	p, err := s.spawn()
	if err != nil {
		return nil, err
	}
	if err := p.expose(); err != nil {
		p.kill()
		return nil, fmt.Errorf("broker: oom_score_adj: %w", err)
	}
	server, err := s.greet(p)
	if err != nil {
		p.kill()
		return nil, err
	}
	return &started{p, server}, nil
}

func (s *Supervisor) greet(p *process) (*link.Server, error) {
	server, err := link.NewServer(p.link, s.cfg.Link)
	if err != nil {
		return nil, err
	}
	report, err := server.Hello(s.cfg.Filter.Marshal(), greetTimeout)
	if err != nil {
		return nil, fmt.Errorf("broker: it did not confine itself: %w", err)
	}
	if err := s.prove(p, report); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.status.Proved, s.status.Tried = time.Now(), report.Tried
	s.status.Starts++
	s.mu.Unlock()
	return server, server.Configure(s.cfg.Settings)
}

// Run keeps a broker running until ctx ends; then it lets it finish and returns
// nil if that went in order. ready is called once, when the first one serves. It is
// an error if the first does not start, or ten in a row later on: the first was
// refused what no second will get.
func (s *Supervisor) Run(ctx context.Context, ready func()) error {
	defer s.close()
	tell := sync.OnceFunc(ready)
	wait := time.Duration(0)
	for failures, ever := 0, false; ; {
		begin := time.Now()
		served, err := s.once(ctx, tell)
		if ctx.Err() != nil {
			return err
		}
		if ever = ever || served; !ever {
			return fmt.Errorf("the broker does not start: %w", err)
		}
		if failures++; served {
			failures = 0
		}
		if failures == maxFailures {
			return fmt.Errorf("the broker could not be started %d times in a row: %w", failures, err)
		}
		if served && time.Since(begin) > steady {
			wait = 0
		}
		s.cfg.Log.Error("the broker ended and is started again", "error", err, "after", wait.String())
		select {
		case <-ctx.Done():
			return nil
		case <-s.after(wait):
		}
		wait = min(max(firstWait, 2*wait), longestWait)
	}
}

// once is the life of one broker. served says that it was ready.
func (s *Supervisor) once(ctx context.Context, ready func()) (served bool, err error) {
	b, err := s.start()
	if err != nil {
		return false, err
	}
	err = s.attend(ctx, b, b.serve(), ready)
	return b.wasReady(), err
}

// attend waits for the end of a broker, and brings it about when ctx ends. The broker has
// ended when attend returns.
func (s *Supervisor) attend(ctx context.Context, b *started, over <-chan error, ready func()) error {
	tooLate, late := time.NewTimer(readyTimeout), "the broker does not get ready"
	defer tooLate.Stop()
	isReady, stop := b.server.Ready(), ctx.Done()
	for {
		select {
		case <-isReady:
			isReady = nil
			tooLate.Stop()
			ready()
		case <-tooLate.C:
			b.kill()
			return errors.Join(errors.New(late), <-over)
		case <-stop:
			stop = nil
			b.server.Drain()
			tooLate.Reset(s.cfg.DrainTimeout)
			isReady, late = nil, "the broker does not end"
		case err := <-over:
			return s.end(b, err)
		}
	}
}

// end is for a broker whose link has ended: it goes in order soon, or is killed.
// Its runs are dead.
func (s *Supervisor) end(b *started, err error) error {
	select {
	case <-b.ended:
	case <-time.After(time.Second):
	}
	b.kill()
	if err != nil {
		return fmt.Errorf("broker: %w", err)
	}
	if state := b.cmd.ProcessState; !state.Success() {
		return fmt.Errorf("broker: %s", state)
	}
	return nil
}

// Prove starts a broker, looks at it, and ends it: for who wants to know whether
// it could be done.
func (s *Supervisor) Prove() error {
	defer s.close()
	b, err := s.start()
	if err == nil {
		b.server.Close()
		b.kill()
	}
	return err
}
