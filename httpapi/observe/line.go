package observe

import (
	"sync"
	"time"
)

// Line counts those that run and those that wait for a place, for a gauge. It admits
// nobody itself. The zero Line is ready to use, and a nil one counts nothing.
type Line struct {
	mu      sync.Mutex
	waiting map[*Place]time.Time // since when
	running int
}

// Place is one request's in a Line. It waits until Admitted, and is gone after Leave.
type Place struct {
	line  *Line
	state int
}

const (
	placeWaiting = iota
	placeRunning
	placeGone
)

// Wait takes a place.
func (l *Line) Wait() *Place {
	p := &Place{line: l}
	if l == nil {
		return p
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting == nil {
		l.waiting = map[*Place]time.Time{}
	}
	l.waiting[p] = time.Now()
	return p
}

// Admitted says that the request runs.
func (p *Place) Admitted() { p.move(placeRunning) }

// Leave says that it has ended, or given up; a second one does nothing.
func (p *Place) Leave() { p.move(placeGone) }

func (p *Place) move(to int) {
	l := p.line
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if to <= p.state {
		return
	}
	if p.state == placeRunning {
		l.running--
	}
	if p.state = to; to == placeRunning {
		l.running++
	}
	delete(l.waiting, p)
}

// Queue says how the line stands.
func (l *Line) Queue() (q Queue) {
	if l == nil {
		return q
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	q.Running, q.Waiting = l.running, len(l.waiting)
	for _, since := range l.waiting {
		q.Oldest = max(q.Oldest, time.Since(since))
	}
	return q
}
