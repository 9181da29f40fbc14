package observe

import (
	"time"

	"safe-exec/policy"
)

// Observer hears what the API did. Its methods are called by many goroutines at
// once, and the caller's answer waits for them.
type Observer interface {
	// Began tells of a run or a check before anything of it starts. It knows no end
	// yet; an observer may set its Begin. An error, which the caller gets, refuses the
	// run, and then nothing more is told of it.
	Began(*Run) error
	// Ran tells of a run, a job's attempt that got a verdict, or a check, once,
	// after its end and before its answer. A job that ended without a run never began.
	Ran(Run)
	// Refused tells that a request was turned away for want of room, by the reason
	// in its problem document.
	Refused(reason string)
	// Problem tells that a request was answered by a problem document.
	Problem(code policy.Code)
}

// Kind says who waits for a run.
type Kind string

const (
	Sync  Kind = "sync"  // its caller, on the line
	Job   Kind = "job"   // nobody: the result is kept
	Check Kind = "check" // its caller; nothing of the program ran
)

// Begin is where an observer recorded that a run began. It belongs to that observer,
// which may change it until the run has ended; SHA-256, hexadecimal.
type Begin struct {
	Seq  uint64 // 0: there is no such record
	Hash string
}

// Run is one run. One of Result, Check and Err is set when it has ended; both results
// are shared and must not be changed.
type Run struct {
	Origin
	Begin    *Begin // nil where nobody recorded it
	Caller   policy.Caller
	Program  Program
	Finished time.Time     // UTC, by the wall clock
	Total    time.Duration // with the time that it waited; monotonic clock
	Result   *policy.Result
	Check    *policy.CheckResult
	Err      error // our failure, or a refusal before anything ran
	// Profile, ProfileDigest and PolicyDigest say under which rules it ran: see Digests.
	// Empty where nobody knows.
	Profile       string
	ProfileDigest string
	PolicyDigest  string
}

// Nothing is an Observer that does nothing.
type Nothing struct{}

// Began implements Observer.
func (Nothing) Began(*Run) error { return nil }

// Ran implements Observer.
func (Nothing) Ran(Run) {}

// Refused implements Observer.
func (Nothing) Refused(string) {}

// Problem implements Observer.
func (Nothing) Problem(policy.Code) {}

// All tells several observers, in this order. Only the first may refuse a run: those
// before one that refuses would wait for an end that does not come.
func All(observers ...Observer) Observer { return all(observers) }

type all []Observer

func (a all) Began(r *Run) error {
	for _, o := range a {
		if err := o.Began(r); err != nil {
			return err
		}
	}
	return nil
}

func (a all) Ran(r Run) {
	for _, o := range a {
		o.Ran(r)
	}
}

func (a all) Refused(reason string) {
	for _, o := range a {
		o.Refused(reason)
	}
}

func (a all) Problem(code policy.Code) {
	for _, o := range a {
		o.Problem(code)
	}
}

// Queue is how one kind of run stands at this moment.
type Queue struct {
	Running int
	Waiting int
	Oldest  time.Duration // how long the first of those that wait has waited
}
