package httpapi

import (
	"net"
	"net/http"
	"sync"
)

// silent are the connections on which no request has come yet, nor the whole head of
// one. net/http's Shutdown takes such a one for busy until it is five seconds old,
// since a request might be under way; a server that has drained has no answer to it.
type silent struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
	over bool
}

// state is for http.Server.ConnState.
func (s *silent) state(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.open, c)
	case s.over: // it was accepted just before the listener closed
		go c.Close()
	default:
		s.open[c] = struct{}{}
	}
}

// close ends them and whatever still comes.
func (s *silent) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for c := range s.open {
		go c.Close() // of TLS it says goodbye, which may take its time
	}
}
