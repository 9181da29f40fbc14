package httpapi

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"safe-exec/policy"
)

// Sizes of replies, in bytes.
const (
	// smallReply is what costs no more than the connection that it goes out by, and
	// is not counted.
	smallReply = 64 << 10
	// shownCopies and toldCopies are how often the verdict of a job is in memory
	// while it is shown, and while it is told as events.
	shownCopies = 2
	toldCopies  = 3
)

// budget bounds the bytes of large replies that are being made or taken: of one
// caller a quarter of them all, so that who reads slowly holds up himself. Root has
// a quarter beside.
type budget struct {
	limit time.Duration // how long a reply waits for its bytes
	share int64         // of one caller
	all   *semaphore.Weighted

	mu     sync.Mutex
	purses map[string]*purse // by policy.Caller.String, while somebody holds or waits
}

type purse struct {
	*semaphore.Weighted
	users int
}

func newBudget(bytes int64, limit time.Duration) *budget {
	return &budget{limit: limit, share: max(bytes/4, 1), all: semaphore.NewWeighted(bytes), purses: map[string]*purse{}}
}

// take waits for room for a reply of so many bytes, and gives what frees it. A reply
// that is larger than a caller's share needs the whole of it. It fails with CodeBusy
// when there was none in time.
func (b *budget) take(ctx context.Context, who policy.Caller, bytes int64) (release func(), err error) {
	if bytes <= smallReply {
		return func() {}, nil
	}
	bytes = min(bytes, b.share)
	waiting, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	own := b.open(who)
	err = own.Acquire(waiting, bytes)
	if err == nil && !who.Root() {
		if err = b.all.Acquire(waiting, bytes); err != nil {
			own.Release(bytes)
		}
	}
	switch {
	case err == nil:
		return b.releaser(who, own, bytes), nil
	case ctx.Err() != nil:
		err = errGone(ctx.Err())
	default:
		err = busy(BusyReplies, b.limit, "too many large replies are being taken; take those that were begun, and come again")
	}
	b.close(who, own)
	return nil, err
}

// try is take that does not wait.
func (b *budget) try(who policy.Caller, bytes int64) (release func(), ok bool) {
	if bytes <= smallReply {
		return func() {}, true
	}
	bytes = min(bytes, b.share)
	own := b.open(who)
	ok = own.TryAcquire(bytes)
	if ok && !who.Root() && !b.all.TryAcquire(bytes) {
		own.Release(bytes)
		ok = false
	}
	if !ok {
		b.close(who, own)
		return nil, false
	}
	return b.releaser(who, own, bytes), true
}

func (b *budget) releaser(who policy.Caller, own *purse, bytes int64) func() {
	return sync.OnceFunc(func() {
		if !who.Root() {
			b.all.Release(bytes)
		}
		own.Release(bytes)
		b.close(who, own)
	})
}

func (b *budget) open(who policy.Caller) *purse {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.purses[who.String()]
	if own == nil {
		own = &purse{Weighted: semaphore.NewWeighted(b.share)}
		b.purses[who.String()] = own
	}
	own.users++
	return own
}

func (b *budget) close(who policy.Caller, own *purse) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(b.purses, who.String())
	}
}

// takingTime is how long a reader has for a whole reply: the usual time, and a
// second for each MiB.
func takingTime(usual time.Duration, bytes int) time.Duration {
	return usual + time.Duration(bytes)*time.Second>>20
}

// sizeOf is how large a result may be as JSON at most, but for what is small.
func sizeOf(r *policy.Result) int64 {
	const escaped = 6 // a control character is \u0001
	n := escaped * (len(r.Stdout) + len(r.Stderr) + len(r.ResultJSON))
	for _, f := range r.Files {
		n += escaped*len(f.Text) + 2*len(f.Content)
	}
	return int64(n)
}
