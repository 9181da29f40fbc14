package sqlite

import (
	"fmt"
	"runtime/debug"

	"github.com/ncruces/go-sqlite3"
)

// conn is a connection with its prepared statements. It is for one goroutine at a
// time.
type conn struct {
	db     *sqlite3.Conn
	stmts  map[string]*sqlite3.Stmt
	broken error // set once by a panic inside SQLite; nothing is asked of it any more
	tell   chan<- error
}

// guard runs f, and turns a panic inside of SQLite into an error that stays: its
// memory is in no known state then.
func (c *conn) guard(f func() error) (err error) {
	if c.broken != nil {
		return c.broken
	}
	defer func() {
		if p := recover(); p != nil {
			c.broken = &brokenError{fmt.Sprint(p), string(debug.Stack())}
			err = c.broken
			select {
			case c.tell <- err:
			default: // one is enough
			}
		}
	}()
	return f()
}

type brokenError struct{ cause, stack string }

func (e *brokenError) Error() string { return "sqlite panicked: " + e.cause + "\n" + e.stack }

// query runs a statement and gives each of its rows to f.
func (c *conn) query(sql string, f func(*sqlite3.Stmt) error, args ...any) (err error) {
	s, ok := c.stmts[sql]
	if !ok {
		s, _, err = c.db.PrepareFlags(sql, sqlite3.PREPARE_PERSISTENT)
		if err != nil {
			return fmt.Errorf("prepare %q: %w", sql, err)
		}
		c.stmts[sql] = s
	}
	defer func() {
		// A statement that failed says so again when it is reset.
		if e := s.Reset(); err == nil {
			err = e
		}
		if e := s.ClearBindings(); err == nil {
			err = e
		}
	}()
	for i, arg := range args {
		if err := bind(s, i+1, arg); err != nil {
			return fmt.Errorf("bind: %w", err)
		}
	}
	for s.Step() {
		if f == nil {
			continue
		}
		if err := f(s); err != nil {
			return err
		}
	}
	return s.Err()
}

// exec runs a statement without rows and says how many rows it changed.
func (c *conn) exec(sql string, args ...any) (changed int64, err error) {
	if err := c.query(sql, nil, args...); err != nil {
		return 0, err
	}
	return c.db.Changes(), nil
}

func bind(s *sqlite3.Stmt, i int, arg any) error {
	switch v := arg.(type) {
	case nil:
		return s.BindNull(i)
	case int:
		return s.BindInt(i, v)
	case int64:
		return s.BindInt64(i, v)
	case float64:
		return s.BindFloat(i, v)
	case string:
		return s.BindText(i, v)
	case []byte:
		return s.BindBlob(i, v)
	}
	return fmt.Errorf("%T has no form in the database", arg)
}

// close leaves a broken connection as it is: its memory is in no known state.
func (c *conn) close() error {
	if c.broken != nil {
		return nil //nolint:nilerr // Broken has told of it
	}
	return c.guard(func() error {
		for _, s := range c.stmts {
			// What it failed with has been told.
			_ = s.Close()
		}
		return c.db.Close()
	})
}
