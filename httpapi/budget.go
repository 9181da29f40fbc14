package httpapi

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"safe-exec/policy"
)

// Sizes of replies and bodies, in bytes.
const (
	// small is what costs no more than the connection that it goes by, and is not
	// counted.
	small = 64 << 10
	// shownCopies and toldCopies are how often the verdict of a job is in memory
	// while it is shown, and while it is told as events.
	shownCopies = 2
	toldCopies  = 3
	// sentCopies is how often the body of a request is in memory while it is decoded:
	// itself, and a decoder's buffer of up to twice its size, beside the one before it
	// while that is copied.
	sentCopies = 4
)

// budget bounds the bytes of what is large and under way, replies or the bodies of
// requests: of one caller a quarter of them all, so that who is slow holds up
// himself. Root has a quarter beside.
type budget struct {
	limit time.Duration // how long one waits for its bytes
	spent error         // what is said when there were none
	share int64         // of one caller
	all   *semaphore.Weighted

	mu     sync.Mutex
	purses map[string]*purse // by policy.Caller.String, while somebody holds or waits
}

type purse struct {
	*semaphore.Weighted
	users int
}

func newBudget(bytes int64, limit time.Duration, reason BusyReason, message string) *budget {
	return &budget{limit: limit, spent: busy(reason, limit, message), share: max(bytes/4, 1), all: semaphore.NewWeighted(bytes), purses: map[string]*purse{}}
}

// take waits for room for so many bytes, and gives what frees it. What is larger than
// a caller's share needs the whole of it. It fails with CodeBusy when there was none
// in time.
func (b *budget) take(ctx context.Context, who policy.Caller, bytes int64) (release func(), err error) {
	if bytes <= small {
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
		err = b.spent
	}
	b.close(who, own)
	return nil, err
}

// try is take that does not wait.
func (b *budget) try(who policy.Caller, bytes int64) (release func(), ok bool) {
	if bytes <= small {
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
