package jobs

import (
	"context"
	"crypto/rand"
	"time"

	"safe-exec/policy"
)

// DefaultTTL is how long a job may wait unless it says otherwise.
const DefaultTTL = 15 * time.Minute

// Submission is what becomes a job.
type Submission struct {
	Request policy.Request
	Weight  float64       // of the owner against others, MinWeight to MaxWeight; default 1
	AtOnce  int           // jobs of this owner that may run at once; default three quarters of the workers
	Key     string        // idempotency key, at most MaxKeyBytes; empty for none
	Digest  [32]byte      // of the body, for Key
	TTL     time.Duration // how long it may wait; default DefaultTTL
}

// Reservation is a place in the queue for a job whose request has not been read
// yet. Release gives it back, and does nothing after Submit.
type Reservation struct {
	store *Store
	owner Owner
	spent bool
}

// Reserve takes a place in the queue. It fails with CodeBusy and a Reason when the
// queue (job_queue_full) or this owner's share (caller_queue) is full, and
// with CodeUnavailable after Close or where the store cannot be read. What room
// says decides.
func (s *Store) Reserve(owner Owner) (*Reservation, error) {
	return s.ReserveUpTo(owner, s.cfg.MaxQueuedPerOwner)
}

// ReserveUpTo is Reserve for an owner who has a share of his own; the store's is
// the most that it can be.
func (s *Store) ReserveUpTo(owner Owner, share int) (*Reservation, error) {
	if s.isClosing() {
		return nil, errClosing
	}
	s.admit.Lock()
	defer s.admit.Unlock()
	// Places first, then what waits: a job that is submitted between the two
	// counts twice and not never.
	s.mu.Lock()
	all, own := 0, s.reserved[owner]
	for who, n := range s.reserved {
		if who != s.cfg.Apart {
			all += n
		}
	}
	s.mu.Unlock()
	apart, err := s.apart(owner)
	if err != nil {
		return nil, err
	}
	waiting, waitingOwn, err := s.cfg.Queue.Depth(s.ctx, owner)
	if err != nil {
		return nil, err
	}
	all, own = all+waiting-apart, own+waitingOwn
	if err := s.cfg.room(all, own, share, owner); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved[owner]++
	return &Reservation{store: s, owner: owner}, nil
}

// Release gives the place back.
func (r *Reservation) Release() {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	if r.spent {
		return
	}
	r.spent = true
	r.store.vacate(r.owner)
}

// vacate needs mu.
func (s *Store) vacate(owner Owner) {
	if s.reserved[owner]--; s.reserved[owner] == 0 {
		delete(s.reserved, owner)
	}
}

// Submit turns the place into a job. When it returns without error the job is
// durable. Where this owner has submitted the same Key and Digest before, it is
// that job, and existed is set; another Digest is CodeConflict and names
// Idempotency-Key. It fails with CodeUnavailable after Close or where the store
// cannot be written, and with CodeConflict on a place that is spent.
func (r *Reservation) Submit(ctx context.Context, sub Submission) (job Job, existed bool, err error) {
	s := r.store
	s.mu.Lock()
	spent := r.spent
	r.spent = true
	s.mu.Unlock()
	if spent {
		return Job{}, false, &policy.Error{Code: policy.CodeConflict, Message: "this place in the queue is spent"}
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.vacate(r.owner)
	}()
	if s.isClosing() {
		return Job{}, false, errClosing
	}
	body, err := encodeRequest(sub.Request)
	if err != nil {
		return Job{}, false, err
	}
	if sub.Weight == 0 {
		sub.Weight = 1
	}
	if sub.AtOnce == 0 {
		sub.AtOnce = s.cfg.Workers - s.cfg.Workers/4
	}
	if sub.TTL == 0 {
		sub.TTL = DefaultTTL
	}
	record, existed, err := s.cfg.Queue.Enqueue(ctx, Entry{
		// 26 characters of base32: 128 bits and more of the kernel's randomness.
		ID: "job_" + rand.Text(), Owner: r.owner, Weight: sub.Weight, AtOnce: sub.AtOnce,
		Key: sub.Key, Digest: sub.Digest, TTL: sub.TTL, Request: body,
	})
	if err != nil {
		return Job{}, false, err
	}
	s.wake()
	job, err = jobOf(record)
	return job, existed, err
}

// Replay gives the job that this owner has submitted with this Key and Digest, or
// nil; another Digest is CodeConflict. It takes no place in the queue.
func (s *Store) Replay(ctx context.Context, owner Owner, key string, digest [32]byte) (*Job, error) {
	r, err := s.cfg.Queue.Find(ctx, owner, key, digest)
	if err != nil || r == nil {
		return nil, err
	}
	job, err := jobOf(*r)
	return &job, err
}

// wake has an idle worker look for a job.
func (s *Store) wake() {
	select {
	case s.ready <- struct{}{}:
	default: // all of them will
	}
}
