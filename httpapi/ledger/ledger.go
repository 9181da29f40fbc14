package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// Config says where a Ledger is and how large it gets. Zero values take the default
// named with the field; none is unlimited.
type Config struct {
	Dir       string        // required; made with mode 0700 if missing
	MaxBytes  int64         // of one file, which may be over by one record; default 16 MiB
	Keep      int           // files; default 64, at least 2: the oldest are removed
	SyncEvery time.Duration // what a power cut may take; default 50ms
	Version   string        // of the daemon
	Kernel    string        // release
	Logger    *slog.Logger
	// Required refuses a run whose begin cannot be recorded; otherwise it runs without
	// that record.
	Required bool
}

// maxBacklog is how many records wait in memory while none can be written.
const maxBacklog = 1024

// retryEvery is how often a ledger that could not be written is tried again.
const retryEvery = time.Second

// Ledger is a ledger that is being written: by one process, which Open sees to. It
// is an observe.Observer.
type Ledger struct {
	observe.Nothing
	cfg     Config
	lock    *os.File
	in      chan entry
	closing chan struct{}
	closed  chan struct{} // the writer has ended
	once    sync.Once
	err     error // of the writer's end

	mu    sync.Mutex
	stats Stats
}

// Stats says how a ledger fares.
type Stats struct {
	Records uint64 // written since Open
	Lost    uint64 // runs without a record since Open
	Waiting int    // records in memory that could not be written yet
	Last    Point
	Err     error // why nothing can be written; nil while all is well
}

// entry is a begin, or the end of a run.
type entry struct {
	begun *Begun
	run   *Run
	begin *observe.Begin // where it began; nil for an end that has none
	time  time.Time
	at    Point // where it was to be written last
	reply chan error
}

func (e entry) record() *Record {
	if e.begun != nil {
		return &Record{Time: e.time, Kind: kindBegin, Begun: e.begun}
	}
	if e.begin != nil {
		e.run.Begin = e.begin.Seq
	}
	return &Record{Time: e.time, Kind: kindRun, Run: e.run}
}

// ErrClosed is what Append gives after Close.
var ErrClosed = errors.New("ledger: closed")

// Open begins to write the ledger in cfg.Dir. It fails with a *Broken where the end
// of what is there does not hold together: then somebody must look at it, and move
// it away. It fails with EWOULDBLOCK where another process writes.
func Open(cfg Config) (*Ledger, error) {
	cfg.MaxBytes = cmp.Or(cfg.MaxBytes, 16<<20)
	cfg.Keep = cmp.Or(cfg.Keep, 64)
	cfg.SyncEvery = cmp.Or(cfg.SyncEvery, 50*time.Millisecond)
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	if cfg.MaxBytes < 0 || cfg.Keep < 2 || cfg.SyncEvery < 0 {
		return nil, errors.New("ledger: sizes and times must be positive, and two files kept at least")
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(cfg.Dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, fmt.Errorf("ledger: another process writes it: flock: %w", err)
	}
	l := &Ledger{cfg: cfg, lock: lock, in: make(chan entry), closing: make(chan struct{}), closed: make(chan struct{})}
	w := &writer{Ledger: l, running: running{}}
	if err := w.open(); err != nil {
		lock.Close()
		return nil, fmt.Errorf("ledger: open: %w", err)
	}
	w.opened = true
	w.tell()
	go w.work()
	return l, nil
}

// Began records that a run begins, and returns when that is in the kernel's hands. Where
// it cannot be and Config.Required demands it, it gives what Ready gives. It does not
// wait in memory as an end does: a run without it has its end alone.
func (l *Ledger) Began(r *observe.Run) error {
	r.Begin = &observe.Begin{}
	err := l.append(entry{begun: &Begun{Asked: askedOf(*r), Program: programOf(r.Program)}, begin: r.Begin, time: sane(time.Now())})
	if err == nil || !l.cfg.Required {
		return nil
	}
	return unavailable(err)
}

// Ran records a run. What goes wrong is logged, and Ready tells.
func (l *Ledger) Ran(r observe.Run) {
	_ = l.Append(r) // logged where it went wrong: see writer.fail
}

// Append records the end of a run and returns when its line is in the kernel's hands. An error
// wraps what the kernel said (ENOSPC); the record then waits in memory, and is
// written when that is possible again.
func (l *Ledger) Append(r observe.Run) error {
	return l.append(entry{run: recordOf(r), begin: r.Begin, time: sane(r.Finished)})
}

func (l *Ledger) append(e entry) error {
	e.reply = make(chan error, 1)
	select {
	case l.in <- e:
		return <-e.reply
	case <-l.closed:
		return ErrClosed
	}
}

// Ready says whether runs can be recorded: nil, or a *policy.Error with
// CodeUnavailable that a caller may see. A ledger that could not be written is tried
// again every second.
func (l *Ledger) Ready() error {
	if err := l.Stats().Err; err != nil {
		return unavailable(err)
	}
	return nil
}

func unavailable(cause error) error {
	e := &policy.Error{Code: policy.CodeUnavailable, Step: "ledger", Message: "no run can be recorded in the audit ledger, so none is started", Err: cause}
	var errno syscall.Errno
	if errors.As(cause, &errno) {
		e.Message += ": " + errno.Error()
	}
	return e
}

// Stats says how the ledger fares.
func (l *Ledger) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

// Close writes what waits, and the head behind it. Appends that come later fail.
func (l *Ledger) Close() error {
	l.once.Do(func() { close(l.closing) })
	<-l.closed
	return l.err
}
