package nsjail

import (
	"cmp"
	"slices"
)

// maxKinds bounds how many kinds are known: a caller may ask for thousands.
const maxKinds = 512

// holds is what the pool's jails and its template use, in bytes.
func (p *pool) holds() int64 {
	sum := p.bytes * int64(len(p.ready)+p.starting)
	switch {
	case p.order.template != nil:
		sum += p.order.template.bytes
	case p.templating:
		sum += templateBytes
	}
	return sum
}

// makeRoom lets other pools give way, if that makes room for one more jail of p, or
// for its template. The caller holds the lock.
func (s *spares) makeRoom(p *pool) bool {
	need := p.bytes
	if p.lacksTemplate() {
		need = templateBytes
	}
	going, enough := s.victims(p, (*pool).holds, need, s.config.MemoryMB<<20)
	if enough {
		for _, other := range going {
			s.retire(other)
		}
	}
	return enough
}

// forget drops kinds so that p's may be known. Where something is under way for all
// of them, there are no more than there are runs.
func (s *spares) forget(p *pool) {
	going, _ := s.victims(p, func(*pool) int64 { return 1 }, 1, maxKinds)
	for _, other := range going {
		s.retire(other)
		delete(s.pools, other.kind)
	}
}

// victims are the pools that give way so that p gets as much as it needs of what of
// measures, of which there is so much at most; enough says that it then fits.
//
// What the pools that wait for all leave is divided by caller. Of those who have any of
// it, whoever wants more than his equal part gives up what he himself has not used for
// longest; from others comes only what they have above theirs. Where the parts are
// smaller than a pool, who has nothing yet gets it from whoever was away for longest.
func (s *spares) victims(p *pool, of func(*pool) int64, need, most int64) (going []*pool, enough bool) {
	lacks, divided := need-most, most
	has := map[string]int64{}
	if p.floor > 0 {
		divided -= need
	} else {
		has[p.kind.caller] = need
	}
	var idle []*pool
	for _, other := range s.pools {
		n := of(other)
		lacks += n
		switch {
		case other.floor > 0:
			divided -= n
		case n > 0:
			has[other.kind.caller] += n
			if other != p && other.running+other.starting == 0 && !other.templating {
				idle = append(idle, other)
			}
		}
	}
	part := max(divided, 0) / int64(max(len(has), 1))
	over := p.floor == 0 && has[p.kind.caller] > part
	nothing := has[p.kind.caller] == need
	slices.SortFunc(idle, func(a, b *pool) int { return a.used.Compare(b.used) })
	for _, other := range idle {
		own := p.floor == 0 && other.kind.caller == p.kind.caller
		gives := !own && has[other.kind.caller] > part
		if over {
			gives = (own || gives && nothing) && other.used.Before(p.used)
		}
		if n := of(other); lacks > 0 && gives {
			going = append(going, other)
			lacks -= n
			has[other.kind.caller] -= n
		}
	}
	return going, lacks <= 0
}

// needier sorts the pools that are to be refilled: first those of the caller who has
// fewest jails and templates, running jails included, so that who empties his pools
// all the time, or asks for ever other kinds, keeps nobody else's empty.
func (s *spares) needier(pools []*pool) {
	has := map[string]int{}
	for _, p := range s.pools {
		has[p.kind.caller] += p.size()
	}
	total := func(p *pool) int {
		if p.floor > 0 { // nobody's: each is one of its own
			return p.size()
		}
		return has[p.kind.caller]
	}
	slices.SortFunc(pools, func(p, q *pool) int {
		return cmp.Or(cmp.Compare(total(p), total(q)), cmp.Compare(p.size(), q.size()), q.used.Compare(p.used))
	})
}

func (p *pool) size() int {
	n := len(p.ready) + p.starting + p.running
	if p.order.template != nil || p.templating {
		n++
	}
	return n
}
