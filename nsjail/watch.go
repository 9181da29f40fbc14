package nsjail

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"safe-exec/policy"
	"safe-exec/seccomp"
)

// watcher tells the events of one run to whoever asked for them, from a
// goroutine of its own: a hearer that blocks, which it must not, holds up
// nothing but itself. What waits is bounded, since each output is told up to its
// allowance and each refused call once by name. A nil watcher hears nothing. Nothing
// is told before the harness has accepted the program: of one that it refuses, or
// never gets to, the verdict alone tells.
type watcher struct {
	hear  func(policy.Event)
	ended chan struct{} // closed when all has been told

	mu     sync.Mutex
	more   sync.Cond
	queue  []policy.Event
	begun  bool // the program was accepted
	closed bool
}

// newWatcher is nil where nobody hears.
func newWatcher(hear func(policy.Event)) *watcher {
	if hear == nil {
		return nil
	}
	w := &watcher{hear: hear, ended: make(chan struct{})}
	w.more.L = &w.mu
	go w.run()
	return w
}

func (w *watcher) run() {
	defer close(w.ended)
	for {
		w.mu.Lock()
		for (len(w.queue) == 0 || !w.begun) && !w.closed {
			w.more.Wait()
		}
		list := w.queue
		if !w.begun {
			list = nil
		}
		w.queue = nil
		w.mu.Unlock()
		if len(list) == 0 {
			return
		}
		for _, e := range list {
			w.hear(e)
		}
	}
}

// start tells that the program starts, ahead of all that it did meanwhile: its
// first output can be read before the harness's answer is.
func (w *watcher) start() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed && !w.begun {
		w.begun = true
		w.queue = slices.Insert(w.queue, 0, policy.Event{Kind: policy.EventStarted})
		w.more.Signal()
	}
}

func (w *watcher) tell(e policy.Event) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.queue = append(w.queue, e)
		w.more.Signal()
	}
}

// output tells bytes of one stream, which it copies; nil where nobody hears.
func (w *watcher) output(kind policy.EventKind) func([]byte) {
	if w == nil {
		return nil
	}
	return func(b []byte) { w.tell(policy.Event{Kind: kind, Data: bytes.Clone(b)}) }
}

// denials tells each refused call once.
func (w *watcher) denials(n *seccomp.Notifier, name func(nr int) string) {
	if w == nil {
		return
	}
	n.Hear(func(nr int) { w.tell(policy.Event{Kind: policy.EventDenial, Syscall: name(nr)}) })
}

// end takes no more events and waits until those so far were heard; false says
// that the hearer is still at it after that time, and is left behind.
func (w *watcher) end(within time.Duration) bool {
	if w == nil {
		return true
	}
	w.mu.Lock()
	w.closed = true
	w.more.Signal()
	w.mu.Unlock()
	select {
	case <-w.ended:
		return true
	case <-time.After(within):
		return false
	}
}
