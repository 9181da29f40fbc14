package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/ncruces/go-sqlite3"

	"safe-exec/httpapi/jobs"
)

// busyTimeout is how long a statement waits for a lock that only a stranger can
// hold.
const busyTimeout = 2 * time.Second

// Queue is a jobs.Queue in a database file. Make one with Open.
type Queue struct {
	path  string
	form  form
	clock jobs.Clock
	lock  *os.File
	// zero is the wall clock at Open, in microseconds: times that decide
	// something are this and what passed since, so a jump changes nothing.
	zero    int64
	elapsed time.Duration

	ops     chan *op
	closing chan struct{}
	stopped chan struct{}
	once    sync.Once
	closed  error
	broken  chan error // holds one
	writer  *conn

	reading sync.Mutex
	reader  *conn

	mu      sync.Mutex
	leases  map[string]*lease
	trouble trouble
}

type lease struct {
	attempt   int
	until     time.Duration // of clock.Elapsed
	cancelled bool
}

// Open opens the store jobs.db in dir. It makes a store that is missing, and migrates one
// of an earlier released version. The directory must exist.
// Errors are *StartError: dir missing or not writable, a database that another
// process uses, that is damaged, or that is of another program or version.
func Open(dir string, clock jobs.Clock) (*Queue, error) { return openAs(released, dir, clock) }

func openAs(f form, dir string, clock jobs.Clock) (*Queue, error) {
	q := &Queue{
		path: filepath.Join(dir, "jobs.db"), form: f, clock: clock,
		zero: micros(clock.Wall()), elapsed: clock.Elapsed(),
		ops: make(chan *op, maxBatch), closing: make(chan struct{}), stopped: make(chan struct{}),
		leases: map[string]*lease{}, broken: make(chan error, 1),
	}
	if err := q.open(); err != nil {
		return nil, errors.Join(err, q.release())
	}
	go q.write()
	return q, nil
}

func (q *Queue) open() error {
	fail := func(step, remedy string, err error) error {
		return &StartError{Path: q.path, Step: step, Remedy: remedy, Err: err}
	}
	flags := os.O_RDWR | os.O_CREATE | syscall.O_NOFOLLOW
	lock, err := os.OpenFile(q.path+".lock", flags, 0o600)
	if err != nil {
		return fail("open lock", "the directory must exist and be writable by uid "+fmt.Sprint(os.Geteuid()), err)
	}
	q.lock = lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fail("lock", "another safe-exec uses it; stop that one or give this one another state_dir", err)
	}
	file, err := os.OpenFile(q.path, flags, 0o600)
	if err != nil {
		return fail("open", "the file must be readable and writable by uid "+fmt.Sprint(os.Geteuid()), err)
	}
	file.Close()
	q.writer, err = dial(q.path, writerPragmas, q.broken)
	if err == nil {
		err = q.writer.guard(q.prepare)
	}
	if err == nil {
		q.reader, err = dial(q.path, readerPragmas, q.broken)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sqlite3.BUSY), errors.Is(err, sqlite3.LOCKED):
		return fail("open", "another program has it locked; end that one", err)
	case errors.Is(err, sqlite3.FULL), errors.Is(err, sqlite3.IOERR):
		// A write that finds no room comes as either.
		return fail("open", "make room on its disk; if there is some, the disk fails", err)
	case errors.Is(err, sqlite3.READONLY), errors.Is(err, sqlite3.CANTOPEN), errors.Is(err, sqlite3.PERM):
		return fail("open", "the directory and the files in it must be writable by uid "+fmt.Sprint(os.Geteuid()), err)
	case errors.Is(err, errVersion):
		return strange(q.path, err)
	}
	return fail("check", "it is damaged: keep a copy, then restore it from a backup or move it away with its -wal and -shm: its jobs are lost then", err)
}

var writerPragmas = []string{
	"auto_vacuum = incremental", "journal_mode = wal", "synchronous = full",
	"secure_delete = fast", "journal_size_limit = 16777216", "foreign_keys = on",
}

var readerPragmas = []string{"query_only = on"}

func dial(path string, pragmas []string, tell chan<- error) (*conn, error) {
	c := &conn{stmts: map[string]*sqlite3.Stmt{}, tell: tell}
	err := c.guard(func() (err error) {
		c.db, err = sqlite3.OpenFlags(path, sqlite3.OPEN_READWRITE|sqlite3.OPEN_NOFOLLOW)
		if err != nil {
			return err
		}
		if err := c.db.BusyTimeout(busyTimeout); err != nil {
			return err
		}
		c.db.Limit(sqlite3.LIMIT_LENGTH, jobs.MaxVerdictBytes+1<<20)
		c.db.Limit(sqlite3.LIMIT_ATTACHED, 0)
		if _, err := c.db.Config(sqlite3.DBCONFIG_DEFENSIVE, true); err != nil {
			return err
		}
		for _, p := range append([]string{"trusted_schema = off", "cell_size_check = on", "temp_store = memory", "mmap_size = 0"}, pragmas...) {
			if err := c.db.Exec("PRAGMA " + p); err != nil {
				return fmt.Errorf("pragma %s: %w", p, err)
			}
		}
		return nil
	})
	if err != nil && c.db != nil {
		// The first error says more.
		_ = c.close()
	}
	return c, err
}

var errVersion = errors.New("not a store of jobs of this version")

// prepare makes the tables in an empty file, and otherwise believes nothing of
// what it finds before it has been looked at.
func (q *Queue) prepare() error {
	id, err := q.pragma("application_id")
	if err != nil {
		return err
	}
	version, err := q.pragma("user_version")
	if err != nil {
		return err
	}
	found, err := q.tables()
	if err != nil {
		return err
	}
	if id == 0 && version == 0 && len(found) == 0 {
		return q.create()
	}
	if id != applicationID || !q.form.opens(version) {
		return q.form.unlike(id, version)
	}
	if err := q.hasTables(q.form.tables(version)); err != nil {
		return err
	}
	if err := q.whole(); err != nil {
		return err
	}
	if err := q.migrate(version); err != nil {
		return err
	}
	return q.recount()
}

func (q *Queue) pragma(name string) (value int64, err error) {
	err = q.writer.query("PRAGMA "+name, func(s *sqlite3.Stmt) error {
		value = s.ColumnInt64(0)
		return nil
	})
	return value, err
}

// whole asks SQLite about its pages and constraints.
func (q *Queue) whole() error {
	return q.writer.query("PRAGMA quick_check(1)", func(s *sqlite3.Stmt) error {
		if text := s.ColumnText(0); text != "ok" {
			return fmt.Errorf("quick_check: %.200q", text)
		}
		return nil
	})
}

// recount counts anew what the triggers counted.
func (q *Queue) recount() error {
	return q.writer.db.Exec(`BEGIN IMMEDIATE;
		UPDATE owners SET queued = 0, running = 0, ended = 0, bytes = 0;
		INSERT INTO owners (owner, queued, running, ended, bytes)
			SELECT owner, sum(status = 'queued'), sum(status = 'running'), sum(status NOT IN ('queued', 'running')), sum(size) FROM jobs WHERE true GROUP BY owner
			ON CONFLICT (owner) DO UPDATE SET queued = excluded.queued, running = excluded.running, ended = excluded.ended, bytes = excluded.bytes;
		UPDATE owners SET (head, first) =
			(SELECT tag, seq FROM jobs WHERE jobs.owner = owners.owner AND status = 'queued' ORDER BY tag, seq LIMIT 1);
		INSERT OR IGNORE INTO clock (one, virtual) VALUES (1, 0);
		COMMIT`)
}

// now is the time that decides, in microseconds: it goes on evenly from the wall
// clock at Open.
func (q *Queue) now() int64 {
	return q.zero + (q.clock.Elapsed() - q.elapsed).Microseconds()
}

// Broken gives, once, a panic inside of SQLite or of what it called, with its stack.
// From then on the store can be written, or read, no more. This process cannot mend
// it: the connection may hold locks, and its memory is in no known state. What ends
// the process leaves the file as a kill does, and the next one takes it up.
func (q *Queue) Broken() <-chan error { return q.broken }

// Close finishes what is being written and gives the database back. One that is
// broken keeps its locks until the process ends.
func (q *Queue) Close() error {
	q.once.Do(func() {
		close(q.closing)
		<-q.stopped
		q.closed = q.release()
	})
	return q.closed
}

func (q *Queue) release() error {
	var errs []error
	q.reading.Lock()
	defer q.reading.Unlock()
	for _, c := range []*conn{q.reader, q.writer} {
		if c != nil && c.db != nil {
			errs = append(errs, c.close())
		}
	}
	if q.lock != nil {
		errs = append(errs, q.lock.Close())
	}
	return errors.Join(errs...)
}
