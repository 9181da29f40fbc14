package nsjail

import (
	"os"
	"sync"
	"time"
)

// A template is worn after this many forks or this time: siblings share an
// address layout, which what one of them tells gives away of the next.
const (
	templateForks = 1000
	templateAge   = 10 * time.Minute
)

// template is a process that has loaded everything a run of its kind needs and
// has never seen a user's text. It forks jails. It has a jail of its own, with
// fewer layers than a run's: see startTemplate.
//
// The pid namespaces of what it forked lie within its own, so it outlives them.
type template struct {
	jail       *jail
	orders     *os.File // SOCK_SEQPACKET: one order a packet
	peer       uint64   // inode of its end, as its descriptor shows it
	log        uint64   // inode of the pipe that it and the inits it forks may crash into
	namespaces map[string]string
	home       []*os.File // cgroup v1: the tasks files of its own leaf
	born       time.Time
	bytes      int64 // what it used when it was ready

	mu      sync.Mutex
	broken  bool // it did not answer an order
	forks   int
	held    int // forks that live
	retired bool
}

// worn says that the template is to be replaced.
func (t *template) worn(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.broken || t.forks >= templateForks || now.Sub(t.born) >= templateAge || t.jail.init.ended(0)
}

func (t *template) suspect() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.broken = true
}

// hold counts a fork that is about to be made; of a template that is on its way
// out there is none.
func (t *template) hold() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.retired || t.broken {
		return false
	}
	t.forks++
	t.held++
	return true
}

func (t *template) letGo() {
	t.mu.Lock()
	t.held--
	t.end()
}

// retire ends the template once the last of its forks has ended. It may be called
// again.
func (t *template) retire() {
	t.mu.Lock()
	if t.retired {
		t.mu.Unlock()
		return
	}
	t.retired = true
	t.end()
}

// end unlocks. It ends the template at most once: from retire, or from the letGo
// after it that finds no other fork, since none is held any more then.
func (t *template) end() {
	over := t.retired && t.held == 0
	t.mu.Unlock()
	if over {
		t.jail.runner.endings.end(t.jail)
	}
}
