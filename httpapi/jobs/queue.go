package jobs

import (
	"context"
	"errors"
	"time"

	"safe-exec/policy"
)

// Owner is who a job belongs to: policy.Caller.String().
type Owner = string

// Bounds on what a Queue is given and gives back. Text that comes from a store is
// not believed to keep them.
const (
	MaxIDBytes      = 64
	MaxOwnerBytes   = 200
	MaxKeyBytes     = 255
	MaxRequestBytes = 20 << 20 // an encoded request: a program and its inputs, in JSON
	MaxVerdictBytes = 64 << 20 // an encoded verdict: all that a run may bring back, in JSON
	MaxAtOnce       = 1000000  // jobs of one owner that run
	MinWeight       = 1.0 / 1024
	MaxWeight       = 1024.0
)

// Queue keeps jobs between Enqueue and the end of their retention. Several hosts
// may share one, so it is told what a worker did and never runs anything.
//
// All methods may be called from any goroutine. An error is a *policy.Error:
// CodeUnavailable where the store cannot be written or read now (the same call may
// work later), CodeNotFound, CodeConflict, or CodeInternal for what will not work
// however often it is tried. ErrLost is the one other error.
type Queue interface {
	// Enqueue keeps a job. When it returns without error the job is durable: it
	// survives the process and the power. Where the owner has a job with this Key,
	// that one is returned with existed if the Digest is the same, else the error
	// is CodeConflict.
	//
	// The job gets a start tag (start-time fair queueing): the greater of the
	// queue's virtual time, which is the tag of what was claimed last, and of the
	// owner's last tag plus 1/Weight. So an owner's thousandth job waits for his
	// own and not for another's first.
	Enqueue(ctx context.Context, j Entry) (r Record, existed bool, err error)

	// Find gives the job that an Enqueue of this owner's made with this Key, or nil;
	// one of another Digest is CodeConflict.
	Find(ctx context.Context, owner Owner, key string, digest [32]byte) (*Record, error)

	// Claim gives the waiting job with the lowest tag whose deadline has not
	// passed to this worker alone, for the time of the lease; nil if there is
	// none. Jobs of an owner who has as many running as the latest of his entries
	// says (AtOnce) are passed over, and cost the same however many they are. That it was started is durable before Claim returns, so a job is
	// started at least once, and each start counts as an attempt.
	Claim(ctx context.Context, lease time.Duration) (*Claimed, error)

	// Heartbeat extends a lease to this long from now, and says whether the owner
	// cancelled the job meanwhile. A lease of zero gives the job up: the next
	// Expire decides on it. It is ErrLost when the job has been decided or given
	// to the queue; until then even a late heartbeat is in time. It must work
	// while the store cannot be written, if one process owns the store.
	Heartbeat(ctx context.Context, l Lease, lease time.Duration) (cancelled bool, err error)

	// Complete keeps the verdict, durably, and lets the request go. It is ErrLost
	// as Heartbeat is: of all attempts one gives the verdict, and there is never a
	// second.
	Complete(ctx context.Context, l Lease, v Verdict) error

	// Cancel decides a waiting job as cancelled, marks a running one for its
	// worker, and leaves a finished one alone. It gives the job as it is then.
	Cancel(ctx context.Context, owner Owner, id string) (Record, error)

	// Get gives a job with its verdict. A job of another owner is CodeNotFound.
	Get(ctx context.Context, owner Owner, id string) (Record, error)

	// Peek is Get without the verdict, whose size it tells.
	Peek(ctx context.Context, owner Owner, id string) (Record, error)

	// List gives jobs of an owner without verdicts, newest first, and where to go
	// on; that is empty at the end.
	List(ctx context.Context, owner Owner, o ListOptions) (page []Record, next string, err error)

	// Depth counts the jobs that wait, of all and of one owner.
	Depth(ctx context.Context, owner Owner) (all, own int, err error)

	// Expire does what time asks for: jobs that waited past their deadline are
	// decided as expired; those whose lease ran out wait again, or are decided as
	// restarted when their attempts are used up and as cancelled when the owner
	// asked for that; and finished jobs over the bounds are forgotten. One call
	// does a bounded amount and says whether there is more.
	Expire(ctx context.Context, b Bounds) (Expired, error)

	// Check says whether the store can be written and is whole, by a small change
	// that is durable when it returns, and by what went wrong of late: a store that
	// takes little may yet have no room for a request. Damage stays until the store
	// is opened again, which looks at all of it.
	Check(ctx context.Context) error

	// Close ends the use of the store. Leases of this process end with it: where
	// one process owns the store they are void when it is opened again, without
	// waiting for their time.
	Close() error
}

// ErrLost says that a lease is no longer the worker's: what it brings is refused.
var ErrLost = errors.New("the lease of this job is lost")

// Entry is a job to be kept.
type Entry struct {
	ID      string
	Owner   Owner
	Weight  float64       // MinWeight to MaxWeight
	AtOnce  int           // jobs of this owner that may run at once from now on, 1 to MaxAtOnce
	Key     string        // idempotency key, unique for the owner; empty for none
	Digest  [32]byte      // of what was submitted with Key
	TTL     time.Duration // how long the job may wait
	Request []byte        // encoded
}

// Record is a job as a Queue keeps it.
type Record struct {
	ID        string
	Owner     Owner
	Status    policy.Status // queued, running, or how it ended
	Created   time.Time     // wall clock, as all times here
	Started   time.Time     // of the latest attempt; zero before the first
	Finished  time.Time     // zero until it has ended
	Expires   time.Time     // until when it may wait
	Attempt   int           // starts so far
	Cancelled bool          // the owner no longer wants it
	Decided   bool          // from Cancel: this call decided it
	Verdict   []byte        // encoded; from Get, and once it has ended
	Size      int           // of the verdict, in bytes; from Peek
}

func (r Record) ref() Ref { return Ref{r.Owner, r.ID} }

// Lease is one attempt at one job.
type Lease struct {
	ID      string
	Attempt int
}

// Claimed is a job that a worker has.
type Claimed struct {
	Record
	Waited  time.Duration // since it was accepted, by a clock that does not jump
	Request []byte        // encoded
}

// Lease names the attempt.
func (c Claimed) Lease() Lease { return Lease{c.ID, c.Attempt} }

// Verdict is how a job ended.
type Verdict struct {
	Status policy.Status
	Body   []byte // encoded
}

// ListOptions says which jobs to list.
type ListOptions struct {
	Status policy.Status // only these; empty for all
	After  string        // where the page before ended
	Limit  int           // at most; 1 to MaxList, 0 is MaxList
}

// MaxList is the longest page of a list.
const MaxList = 100

// Bounds is what Expire holds the store to.
type Bounds struct {
	MaxAttempts      int           // starts of one job
	MaxFinished      int           // finished jobs kept; beyond it the oldest of the owner who keeps most goes first
	MaxFinishedBytes int64         // size of their verdicts; one is kept however large it is
	MaxAge           time.Duration // how long a finished job is kept
}

// Expired is what Expire did.
type Expired struct {
	Ended     []Ref // jobs decided without a run
	Requeued  []Ref // jobs that wait again
	Forgotten int   // finished jobs let go
	More      bool  // there is more to do now
}

// Ref names a job.
type Ref struct {
	Owner Owner
	ID    string
}

// Clock tells the time twice: as people write it, which may jump, and as it
// passes, which does not.
type Clock interface {
	Wall() time.Time
	Elapsed() time.Duration // since some instant before
}

// SystemClock is the machine's.
type SystemClock struct{}

var started = time.Now()

// Wall is the time of day.
func (SystemClock) Wall() time.Time { return time.Now() }

// Elapsed is CLOCK_MONOTONIC since the program's start.
func (SystemClock) Elapsed() time.Duration { return time.Since(started) }

// NotFound is the one answer to a job of another owner, to one that was forgotten
// and to one that never was.
func NotFound() error {
	return &policy.Error{Code: policy.CodeNotFound, Message: "there is no such job, or it has been forgotten"}
}

// KeyConflict is the answer to a key that came with something else before.
func KeyConflict() error {
	return policy.Blame(policy.CodeConflict, "Idempotency-Key", "was used for another request; take a new key for a new request")
}
