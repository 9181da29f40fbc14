package client

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// pipes is a listener within this process: a clock that is not the machine's can
// tell that nobody waits for the kernel.
type pipes struct {
	dialed chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialed:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Addr is of no meaning here.
func (*pipes) Addr() net.Addr { return &net.UnixAddr{Net: "unix"} }

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

// inBubble has a client of the script, and a clock that goes on when everybody
// sleeps.
func inBubble(t *testing.T, test func(*testing.T, *Client, *script), replies ...http.HandlerFunc) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ln := &pipes{dialed: make(chan net.Conn), closed: make(chan struct{})}
		s := &script{replies: replies}
		server := &http.Server{Handler: s}
		served := make(chan error, 1)
		go func() { served <- server.Serve(ln) }()
		c := New("script")
		c.dial = func(context.Context) (net.Conn, error) {
			ours, theirs := net.Pipe()
			ln.dialed <- theirs
			return ours, nil
		}
		defer func() { // also after a FailNow, since all must end before the bubble does
			c.Close()
			assert.NoError(t, server.Close())
			assert.ErrorIs(t, <-served, http.ErrServerClosed)
		}()
		test(t, c, s)
	})
}

// retry says when to come back.
func retry(status int, after, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", after)
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func times(n int, one http.HandlerFunc) (many []http.HandlerFunc) {
	for range n {
		many = append(many, one)
	}
	return many
}

const often = maxBreaks + 4

func TestADaemonThatSaysWhenToComeBackIsWaitedFor(t *testing.T) {
	running := jsonReply(`{"job_id":"j","status":"running"}`)
	end := jsonReply(`{"job_id":"j","status":"succeeded","result":{"status":"succeeded"}}`)
	for _, row := range []struct {
		name    string
		refusal http.HandlerFunc
	}{
		{"one without room", retry(429, "30", `{"code":"busy"}`)},
		{"one that is about to be back", retry(503, "30", `{"code":"unavailable"}`)},
		{"a proxy in front of one", retry(503, "30", "<h1>")},
	} {
		for name, before := range map[string][]http.HandlerFunc{"at first": nil, "later": {running}} {
			t.Run(row.name+" "+name, func(t *testing.T) {
				inBubble(t, func(t *testing.T, c *Client, s *script) {
					begin := time.Now()
					job, err := c.Wait(t.Context(), "j")
					require.NoError(t, err)
					assert.Equal(t, policy.Succeeded, job.Status)
					assert.Len(t, s.asked(), len(before)+often+1)
					assert.GreaterOrEqual(t, time.Since(begin), often*30*time.Second, "it was asked sooner than it said")
				}, append(append(before, times(often, row.refusal)...), end)...)
			})
		}
	}
}

func TestAStreamGoesOnWhenThereIsRoom(t *testing.T) {
	replies := append([]http.HandlerFunc{events(false, queued, started)}, times(often, retry(429, "30", `{"code":"busy"}`))...)
	inBubble(t, func(t *testing.T, c *Client, s *script) {
		begin := time.Now()
		kinds, err := collect(t.Context(), c, "")
		require.NoError(t, err)
		assert.Equal(t, []string{"queued", "started", "stdout", "result", "done"}, kinds)
		assert.Len(t, s.asked(), often+2)
		assert.GreaterOrEqual(t, time.Since(begin), often*30*time.Second, "it was asked sooner than it said")
	}, append(replies, events(true, outA, verdict, done))...)
}

func TestAWaitForRoomEndsWithItsContext(t *testing.T) {
	for name, after := range map[string]string{"that is told": "3600", "that no clock holds": "9223372036854775807"} {
		t.Run("a time "+name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *Client, s *script) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				_, err := c.Wait(ctx, "j")
				var e *policy.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, policy.CodeUnavailable, e.Code)
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				assert.Len(t, s.asked(), 1)
			}, times(100, retry(429, after, `{"code":"busy"}`))...)
		})
	}
}

func TestADaemonThatDoesNotSayIsLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, c *Client, s *script) {
		_, err := c.Wait(t.Context(), "j")
		require.Error(t, err)
		assert.Len(t, s.asked(), 1+maxBreaks+1)
	}, append(times(1, jsonReply(`{"job_id":"j","status":"running"}`)), times(often, problem(503, `{"code":"unavailable"}`))...)...)
}
