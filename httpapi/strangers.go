package httpapi

import (
	"container/list"
	"time"
)

// maxStrangers is how many connections over TCP may be open that have shown no
// token yet, and strangerGrace is how long each of them may at least stay to show
// one: so long that it is enough on a machine whose processors all have other work.
// Who comes when all are younger waits: that takes more than 4,000 a second.
const (
	maxStrangers  = 1024
	strangerGrace = 250 * time.Millisecond
)

// strangers are the connections over TCP that have shown no token, in the order in
// which they came. Its user locks.
type strangers struct {
	most  int
	grace time.Duration
	queue list.List // of *conn
	from  map[string]int
}

func newStrangers(most int) *strangers {
	return &strangers{most: most, grace: strangerGrace, from: map[string]int{}}
}

// enter takes in whoever comes. Where there is no place left, it gives the one who
// makes room: of the address that most came from, who has been there longest. If
// that one's time is not over, nobody enters, and it gives how long it still is.
func (s *strangers) enter(c *conn, now time.Time) (victim *conn, wait time.Duration) {
	if s.queue.Len() >= s.most {
		victim = s.longest()
		if wait = victim.came.Add(s.grace).Sub(now); wait > 0 {
			return nil, wait
		}
		s.leave(victim)
	}
	c.came, c.stranger = now, s.queue.PushBack(c)
	s.from[c.from]++
	return victim, 0
}

func (s *strangers) longest() *conn {
	most := 0
	for _, n := range s.from {
		most = max(most, n)
	}
	e := s.queue.Front()
	for s.from[e.Value.(*conn).from] < most {
		e = e.Next()
	}
	return e.Value.(*conn)
}

func (s *strangers) leave(c *conn) {
	s.queue.Remove(c.stranger)
	c.stranger = nil
	if s.from[c.from]--; s.from[c.from] == 0 {
		delete(s.from, c.from)
	}
}
