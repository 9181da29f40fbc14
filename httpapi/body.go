package httpapi

import (
	"errors"
	"io"
	"net/http"
	"time"

	"safe-exec/policy"
)

// room is what one request has of the budget of bodies: until a program that somebody
// waits for has been decoded, which leaves 3 MiB of it at most, and until a job is kept,
// since it is encoded again for that.
type room struct {
	held  int64 // bytes
	parts []func()
}

// free gives it back; a second one does nothing.
func (r *room) free() {
	for _, release := range r.parts {
		release()
	}
	*r = room{}
}

// reserve waits for room for a body whose length is declared. One that comes in
// chunks has none before it grows.
func (s *Server) reserve(x *exchange) error {
	length := x.r.ContentLength
	if length <= small || length > maxBody { // that one is not read
		return nil
	}
	bytes := sentCopies * length
	release, err := s.bodies.take(x.r.Context(), x.caller, bytes)
	if err != nil {
		return err
	}
	x.room = room{held: bytes, parts: []func(){release}}
	return nil
}

// grow makes room for a body of that length, or says that there is none now. It does
// not wait: two that each want more than what the other leaves would wait for nothing.
func (s *Server) grow(x *exchange, length int) bool {
	bytes := min(sentCopies*int64(length), s.bodies.share)
	if bytes <= x.room.held {
		return true
	}
	release, ok := s.bodies.try(x.caller, bytes-x.room.held)
	if ok {
		x.room.held = bytes
		x.room.parts = append(x.room.parts, release)
	}
	return ok
}

func (s *Server) readBody(x *exchange) ([]byte, error) {
	if err := checkMediaType(x.r.Header); err != nil {
		return nil, err
	}
	tooLarge := func() error {
		limit := int64(maxBody)
		return &refusal{status: http.StatusRequestEntityTooLarge, cause: &policy.Error{
			Code: policy.CodeTooLarge, Message: "the body is too large", Maximum: &limit,
		}}
	}
	if x.r.ContentLength > maxBody {
		return nil, tooLarge()
	}
	if err := http.NewResponseController(x.w).SetReadDeadline(time.Now().Add(s.cfg.BodyTimeout)); err != nil {
		return nil, err
	}
	body, err := s.readAll(x, http.MaxBytesReader(x.w, x.r.Body, maxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, tooLarge()
	case errors.Is(err, s.bodies.spent):
		return nil, err
	case err != nil:
		e := unreadable("", "the body ended before its announced length, or took too long")
		e.cause.Err = err
		return nil, e
	}
	return body, nil
}

// readAll is io.ReadAll into memory that there is room for.
func (s *Server) readAll(x *exchange, from io.Reader) ([]byte, error) {
	length := small
	if x.r.ContentLength >= 0 {
		length = int(x.r.ContentLength) + 1 // the end is found without growing
	}
	body := make([]byte, 0, length)
	for {
		if len(body) == cap(body) {
			length = min(2*cap(body), maxBody+1)
			if !s.grow(x, length) {
				return nil, s.bodies.spent
			}
			body = append(make([]byte, 0, length), body...)
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		var over *http.MaxBytesError
		if err != nil && !errors.As(err, &over) {
			x.bodyEnded = true
		}
		switch {
		case err == io.EOF:
			return body, nil
		case err != nil:
			return nil, err
		}
	}
}

// maxUnread bounds what is read, in bytes, of a request that was answered before it was
// there: of whoever sends more, the connection ends.
const maxUnread = 4 * maxBody

// takeRest reads what the caller still sends, so that he comes to his answer: most
// clients send first and read then, and one that cannot send to the end (RFC 9112,
// section 9.6) takes the connection for broken. Who waits for leave to send is not
// waited for.
func (x *exchange) takeRest() {
	if x.r.ContentLength == 0 || x.bodyEnded || x.r.Header.Get("Expect") != "" {
		return
	}
	control := http.NewResponseController(x.w)
	if control.Flush() != nil || control.SetReadDeadline(time.Now().Add(x.patience)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, x.r.Body, maxUnread)
}
