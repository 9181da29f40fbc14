package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestEventsOfAJob(t *testing.T) {
	c, s := serve(t, events(true, queued, started, ": still here\n\n", outA, outB, verdict, done))
	var text string
	var kinds []string
	require.NoError(t, c.Events(t.Context(), "job_1", "", func(e Event) error {
		kinds, text = append(kinds, e.Kind), text+e.Text()
		return nil
	}))
	assert.Equal(t, []string{"queued", "started", "stdout", "stdout", "result", "done"}, kinds)
	assert.Equal(t, "ab", text)
	assert.Equal(t, []string{"GET /v1/jobs/job_1/events"}, s.lines())
}

func TestAStreamGoesOnWhereItBroke(t *testing.T) {
	for _, row := range []struct {
		name  string
		first http.HandlerFunc
	}{
		{"in its midst", events(false, queued, started, outA)},
		{"in the midst of an event", events(false, queued, started, outA, "id: 1.4\nevent: std")},
		{"in order, without a verdict", events(true, queued, started, outA)},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, s := serve(t, row.first, problem(503, `{"code":"unavailable"}`), events(true, outB, verdict, done))
			kinds, err := collect(t.Context(), c, "")
			require.NoError(t, err)
			assert.Equal(t, []string{"queued", "started", "stdout", "stdout", "result", "done"}, kinds)
			var last []string
			for _, a := range s.asked() {
				last = append(last, a.header.Get("Last-Event-ID"))
			}
			assert.Equal(t, []string{"", "1.3", "1.3"}, last)
		})
	}
}

func TestWhatWasToldIsNotToldAgain(t *testing.T) {
	again := []string{queued, started, outA, strings.Replace(verdict, "1.5", "1.2", 1), strings.Replace(done, "1.6", "1.3", 1)}
	c, _ := serve(t, events(false, queued, started, outA), events(true, again...))
	kinds, err := collect(t.Context(), c, "")
	require.NoError(t, err)
	assert.Equal(t, []string{"queued", "started", "stdout", "result", "done"}, kinds, "the verdict is, whatever its number")
	second := strings.NewReplacer("1.2", "2.1", "1.3", "2.2", "1.5", "2.3", "1.6", "2.4").Replace(started + outA + verdict + done)
	c, _ = serve(t, events(false, queued, started, outA), events(true, second))
	kinds, err = collect(t.Context(), c, "")
	require.NoError(t, err)
	assert.Equal(t, []string{"queued", "started", "stdout", "started", "stdout", "result", "done"}, kinds, "another attempt is")
}

func TestStreamsThatGiveNoVerdict(t *testing.T) {
	for _, row := range []struct {
		name  string
		reply http.HandlerFunc
		code  policy.Code
	}{
		{"a failure of the daemon", events(true, queued, started, failure, done), policy.CodeSetup},
		{"no such job", problem(404, `{"code":"not_found"}`), policy.CodeNotFound},
		{"a page", reply(200, "text/html", "<h1>"), policy.CodeInternal},
		{"no JSON", events(true, "event: stdout\ndata: x\n\n"), policy.CodeInternal},
		{"no object", events(true, "event: stdout\ndata: [1]\n\n"), policy.CodeInternal},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, s := serve(t, row.reply)
			_, err := collect(t.Context(), c, "")
			var e *policy.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, row.code, e.Code)
			assert.Len(t, s.asked(), 1, "trying again would not help")
		})
	}
}

func TestWhoHearsMayStop(t *testing.T) {
	enough, gone := errors.New("enough"), make(chan struct{})
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, started)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	})
	_, err := c.ExecuteStream(t.Context(), one, func(Event) error { return enough })
	require.ErrorIs(t, err, enough)
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Fatal("the run went on in the daemon")
	}
}

func TestARunIsHeardAndNotRunAgain(t *testing.T) {
	c, s := serve(t, events(true, started, outA, "event: denial\ndata: {\"syscall\":\"socket\"}\n\n", outB, verdict, done))
	var heard []policy.Event
	req := one
	req.Watch = func(e policy.Event) { heard = append(heard, e) }
	result, err := c.Execute(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, "ab", result.Stdout)
	assert.Equal(t, []policy.Event{{Kind: policy.EventStarted}, {Kind: policy.EventStdout, Data: []byte("a")},
		{Kind: policy.EventDenial, Syscall: "socket"}, {Kind: policy.EventStdout, Data: []byte("b")}}, heard)
	assert.Equal(t, []string{"POST /v1/tools/safe-exec?stream=1"}, s.lines())
	for name, broken := range map[string]http.HandlerFunc{"broken": events(false, started), "without a verdict": events(true, started), "done without a result": events(true, started, done)} {
		c, s := serve(t, broken)
		_, err := c.Execute(t.Context(), req)
		var e *policy.Error
		require.ErrorAs(t, err, &e, name)
		assert.Equal(t, policy.CodeUnavailable, e.Code, name)
		assert.Len(t, s.asked(), 1, name)
	}
}

func TestAStreamThatIsCancelledIsACancelledRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		events(true, started)(w, r)
		cancel()
		<-r.Context().Done()
	})
	result, err := c.ExecuteStream(ctx, one, func(Event) error { return nil })
	require.NoError(t, err)
	assert.Equal(t, policy.ReasonCancelled, result.Termination.Reason)
	assert.Equal(t, "The caller cancelled the run; what it had not told until then went with the connection.", result.Termination.Hint)
}

func TestARedirectIsNotFollowed(t *testing.T) {
	var others int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { others++ }))
	defer other.Close()
	var token, host string
	daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, host = r.Header.Get("Authorization"), r.Host
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer daemon.Close()
	c, err := NewTCP(daemon.URL, "t0ken", nil)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Execute(t.Context(), one)
	require.Error(t, err)
	assert.Equal(t, "Bearer t0ken", token)
	assert.Equal(t, daemon.Listener.Addr().(*net.TCPAddr).String(), host)
	assert.Zero(t, others)
	assert.NotContains(t, err.Error(), "t0ken")
}

func TestEventsAreReadInPiecesOfAnySize(t *testing.T) {
	const text = ": hello\r\n\r\nid: 1.1\r\ndata: {\"a\":\r\ndata: 1}\nevent: one\n\nevent: empty\n\ndata:{}\nretry: 5\nunknown\nid: a\x00b\n\ndata: {\"cut\": 1}\n"
	for _, in := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		r := newEventReader(in)
		e, err := r.next()
		require.NoError(t, err)
		assert.Equal(t, Event{"1.1", "one", []byte("{\"a\":\n1}")}, e)
		e, err = r.next()
		require.NoError(t, err)
		assert.Equal(t, Event{"1.1", "", []byte("{}")}, e)
		_, err = r.next()
		assert.ErrorIs(t, err, io.EOF, "an event that has not ended is none")
	}
}

func TestAnEventHasAnEnd(t *testing.T) {
	for name, piece := range map[string]string{"a line": strings.Repeat("x", 1<<20), "many lines": "data: " + strings.Repeat("x", 1<<20) + "\n"} {
		_, err := newEventReader(strings.NewReader(strings.Repeat(piece, 65))).next()
		var e *policy.Error
		require.ErrorAs(t, err, &e, name)
		assert.Equal(t, policy.CodeInternal, e.Code)
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte(queued + outA + verdict + done))
	f.Add([]byte("id: 1.1\r\ndata: {\"a\":\r\ndata: 1}\n\n: c\n\ndata\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := newEventReader(strings.NewReader(string(text)))
		for range len(text) + 1 {
			e, err := r.next()
			if err != nil {
				return
			}
			assert.NotContains(t, e.Kind+e.ID, "\n")
			assert.Equal(t, byte('{'), []byte(strings.TrimLeft(string(e.Data), " \t\n"))[0])
		}
		t.Fatal("more events than bytes")
	})
}
