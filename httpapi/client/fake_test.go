package client

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asked is one request as it arrived.
type asked struct {
	line   string // method and target
	header http.Header
	body   string
}

// script is a daemon that answers with these, in their order. It says what a
// healthy daemon never says.
type script struct {
	mu      sync.Mutex
	replies []http.HandlerFunc
	seen    []asked
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.seen = append(s.seen, asked{r.Method + " " + r.URL.RequestURI(), r.Header, string(body)})
	if len(s.replies) == 0 {
		s.mu.Unlock()
		http.Error(w, "the test has no more replies", http.StatusTeapot)
		return
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	s.mu.Unlock()
	reply(w, r)
}

func (s *script) asked() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

func (s *script) lines() (lines []string) {
	for _, a := range s.asked() {
		lines = append(lines, a.line)
	}
	return lines
}

// serve runs the script behind a socket.
func serve(t *testing.T, replies ...http.HandlerFunc) (*Client, *script) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.sock")
	ln, err := net.Listen("unix", path)
	require.NoError(t, err)
	s := &script{replies: replies}
	server := &http.Server{Handler: s}
	go func() { _ = server.Serve(ln) }()
	c := New(path)
	t.Cleanup(func() {
		c.Close()
		assert.NoError(t, server.Close())
	})
	return c, s
}

func reply(status int, media, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func jsonReply(body string) http.HandlerFunc { return reply(http.StatusOK, "application/json", body) }

func problem(status int, body string) http.HandlerFunc {
	return reply(status, "application/problem+json", body)
}

// hangUp breaks the connection.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// half is a reply that breaks in its midst.
func half(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "99")
	_, _ = io.WriteString(w, `{"job_id":`)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// events is a stream; without end it breaks behind the last.
func events(end bool, texts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, text := range texts {
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
		}
		if !end {
			panic(http.ErrAbortHandler)
		}
	}
}

const (
	queued  = "id: 1.1\nevent: queued\ndata: {\"job_id\":\"job_1\"}\n\n"
	started = "id: 1.2\nevent: started\ndata: {\"attempt\":1}\n\n"
	outA    = "id: 1.3\nevent: stdout\ndata: {\"text\":\"a\"}\n\n"
	outB    = "id: 1.4\nevent: stdout\ndata: {\"text\":\"b\"}\n\n"
	verdict = "id: 1.5\nevent: result\ndata: {\"status\":\"succeeded\",\"stdout\":\"ab\"}\n\n"
	done    = "id: 1.6\nevent: done\ndata: {\"status\":\"succeeded\"}\n\n"
	failure = "id: 1.3\nevent: error\ndata: {\"code\":\"setup_error\",\"status\":503,\"step\":\"pivot\",\"detail\":\"no jail\"}\n\n"
)

// collect gives the kinds of a job's events.
func collect(ctx context.Context, c *Client, after string) (kinds []string, err error) {
	err = c.Events(ctx, "job_1", after, func(e Event) error {
		kinds = append(kinds, e.Kind)
		return nil
	})
	return kinds, err
}
