package sqlite

import (
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

// StartError says why a store of jobs cannot be used, and what to do.
type StartError struct {
	Path   string
	Step   string
	Remedy string
	Err    error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("store of jobs %s: %s: %v; %s", e.Path, e.Step, e.Err, e.Remedy)
}

func (e *StartError) Unwrap() error { return e.Err }

// typed makes what the interface promises out of an error of SQLite.
func (q *Queue) typed(op string, err error) error {
	var known *policy.Error
	if err == nil || errors.Is(err, jobs.ErrLost) || errors.As(err, &known) {
		return err
	}
	code, message := policy.CodeUnavailable, ""
	var kind sqlite3.ErrorCode
	if errors.As(err, &kind) {
		switch kind {
		case sqlite3.FULL:
			message = "the disk of the store of jobs is full"
		case sqlite3.READONLY, sqlite3.PERM:
			message = "the store of jobs is read-only"
		case sqlite3.BUSY, sqlite3.LOCKED:
			message = "the store of jobs is locked by another process"
		case sqlite3.IOERR, sqlite3.CANTOPEN, sqlite3.PROTOCOL:
			// A write that finds no room comes as either.
			message = "the disk of the store of jobs is full, or fails"
		case sqlite3.NOMEM, sqlite3.INTERRUPT:
			message = "the store of jobs is out of memory"
		}
	}
	bad := isDamage(err)
	var broken *brokenError
	switch {
	case errors.As(err, &broken):
		message = "the store of jobs failed, and is being started again"
	case bad:
		message = "the store of jobs is damaged"
	}
	if message == "" {
		code = policy.CodeInternal
	}
	e := &policy.Error{Code: code, Message: message, Step: "jobs." + op, Err: fmt.Errorf("%s: %w", q.path, err)}
	if code == policy.CodeUnavailable {
		q.note(e, bad)
	}
	return e
}

// rowError names a row that holds what it may not.
func rowError(id, what string) error {
	return &policy.Error{
		Code: policy.CodeInternal, Step: "jobs.read",
		Err: fmt.Errorf("row %.80q of jobs: %s is not what this program writes", id, what),
	}
}
