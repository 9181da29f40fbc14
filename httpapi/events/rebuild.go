package events

import (
	"time"

	"safe-exec/policy"
)

// Ended is what is left of a run when its live log is gone.
type Ended struct {
	JobID   string
	Expires time.Time
	Last    ID             // of its last event, where that is known
	Ran     bool           // the program was started
	Result  *policy.Result // or
	Problem any            // our failure
}

// Rebuild makes the log of a run that has ended. Its output is in other pieces
// than it was while the program ran, so a reader who resumes behind one of these
// gets the rest from the result. Result and done have the ids they had.
func Rebuild(e Ended) *Log {
	attempt := max(e.Last.Attempt, 1)
	l := New(attempt)
	l.rebuilt = true
	l.Queued(e.JobID, e.Expires)
	if e.Ran {
		l.Watch(policy.Event{Kind: policy.EventStarted})
	}
	if e.Result != nil {
		l.Watch(policy.Event{Kind: policy.EventStdout, Data: []byte(e.Result.Stdout)})
		l.Watch(policy.Event{Kind: policy.EventStderr, Data: []byte(e.Result.Stderr)})
		for _, d := range e.Result.Denials {
			l.Watch(policy.Event{Kind: policy.EventDenial, Syscall: d.Syscall})
		}
	}
	l.mu.Lock()
	l.flush()
	l.n = max(l.n, e.Last.N-2)
	l.mu.Unlock()
	if e.Result != nil {
		l.Result(e.Result)
	} else {
		l.Fail(e.Problem)
	}
	return l
}
