package jobs

import "safe-exec/policy"

// reserveShare is the part of the queue that a flood does not get: the last quarter
// of all places is for owners who have few jobs waiting. Accepted jobs are never
// put out again to make room, so room must be kept beforehand.
const reserveShare = 4

// fewWaiting is how many jobs an owner has at most who may still take of the
// reserve's first half. Its second half is for those who have none: they find a
// place while there are no more of them than it has.
const fewWaiting = 8

// room says whether an owner who has own jobs waiting gets another place, where all
// owners but Apart have all of them.
func (c Config) room(all, own, share int, owner Owner) error {
	full := func(message string) error {
		return &policy.Error{Code: policy.CodeBusy, Reason: "job_queue_full", Message: message}
	}
	if owner != c.Apart || c.Apart == "" {
		left, reserve := c.MaxQueued-all, c.MaxQueued/reserveShare
		switch {
		case left <= 0:
			return full("the queue of jobs is full")
		case left <= reserve/2 && own > 0, left <= reserve && own >= fewWaiting:
			return full("the places left in the queue of jobs are for callers who have fewer waiting")
		}
	}
	if own >= min(share, c.MaxQueuedPerOwner) {
		return &policy.Error{Code: policy.CodeBusy, Reason: "caller_queue", Message: "this caller has too many jobs waiting"}
	}
	return nil
}

// apart counts the jobs that wait and are not among all. It is asked before all of
// them are counted: one that comes between the two counts takes a place too much
// and gives none away.
func (s *Store) apart(owner Owner) (int, error) {
	if s.cfg.Apart == "" || owner == s.cfg.Apart {
		return 0, nil // he is not counted against the queue
	}
	_, waiting, err := s.cfg.Queue.Depth(s.ctx, s.cfg.Apart)
	return waiting, err
}
