package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"safe-exec/httpapi/events"
)

const streamType = "text/event-stream"

// stream is a reply of server-sent events, after section 9.2 of the HTML living
// standard. It is sent as it comes: nothing on the way may pack or hold it. Each
// event must be taken within takingTime, and once the log has ended all that is left
// of it, or the connection is closed: what is told is kept by the log, and a reader
// may come back for it.
type stream struct {
	x       *exchange
	control *http.ResponseController
	timeout time.Duration
	until   time.Time // for all that is left; zero while the log goes on
}

// openStream sends the reply's head.
func (s *Server) openStream(x *exchange) (*stream, error) {
	out := &stream{x: x, control: http.NewResponseController(x.w), timeout: s.cfg.ReplyTimeout}
	h := x.w.Header()
	h.Set("Content-Type", streamType)
	h.Set("Cache-Control", "no-store, no-transform")
	h.Set("X-Accel-Buffering", "no")
	x.head(http.StatusOK, out.timeout)
	return out, out.control.Flush()
}

// event writes one.
func (s *stream) event(e events.Event) error {
	parts := [][]byte{[]byte("id: " + e.ID.String() + "\nevent: " + e.Kind + "\n")}
	for line := range bytes.Lines(e.Data) {
		parts = append(parts, []byte("data: "), bytes.TrimRight(line, "\r\n"), []byte("\n"))
	}
	return s.write(append(parts, []byte("\n"))...)
}

func (s *stream) write(parts ...[]byte) error {
	until := s.until
	if until.IsZero() {
		size := 0
		for _, p := range parts {
			size += len(p)
		}
		until = time.Now().Add(takingTime(s.timeout, size))
	}
	if err := s.control.SetWriteDeadline(until); err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := s.x.w.Write(p); err != nil {
			return err
		}
	}
	return s.control.Flush()
}

// follow tells what a log holds behind an event, and what is added to it, until
// its last event. A reader who does not read, or went away, ends it; so does a log
// that ends without a verdict, and then nothing says done. A log that has ended is a
// reply like others: it needs room among them, unless that was taken.
func (s *Server) follow(x *exchange, log *events.Log, after events.ID, taken bool) error {
	out, err := s.openStream(x)
	if err != nil || x.r.Method == http.MethodHead {
		return err
	}
	release := func() {}
	defer func() { release() }()
	for err == nil {
		if size, over := log.Ended(); over && out.until.IsZero() {
			out.until = time.Now().Add(takingTime(s.cfg.ReplyTimeout, size))
			if !taken {
				if release, err = s.replies.take(x.r.Context(), x.caller, int64(size)); err != nil {
					release = func() {}
					break
				}
			}
		}
		var found []events.Event
		found, err = s.nextEvents(x.r.Context(), log, after)
		if err == nil && len(found) == 0 {
			err = out.write([]byte(":\n\n"))
		}
		for i := 0; i < len(found) && err == nil; i++ {
			err, after = out.event(found[i]), found[i].ID
		}
	}
	if !errors.Is(err, io.EOF) {
		// Behind the head there is no way to tell the reader but to stop.
		x.attrs = append(x.attrs, slog.String("stream", "broken off at "+after.String()))
	}
	return nil
}

// nextEvents gives none when it is time for a heartbeat: it shows that the stream
// lives, and finds out whether anybody reads it.
func (s *Server) nextEvents(ctx context.Context, log *events.Log, after events.ID) ([]events.Event, error) {
	beat, cancel := context.WithTimeout(ctx, s.cfg.Heartbeat)
	defer cancel()
	found, err := log.Next(beat, after)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, nil
	}
	return found, err
}
