package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"safe-exec/policy"
)

// eventReader reads server-sent events (HTML standard, section 9.2) as the
// daemon writes them: lines end with LF or CRLF.
type eventReader struct {
	in *bufio.Reader
	id string // holds until another comes
}

func newEventReader(in io.Reader) *eventReader {
	return &eventReader{in: bufio.NewReaderSize(in, 32<<10)}
}

// next gives the next event. It fails with io.EOF at the end, where an event
// that has not ended does not count, and with CodeInternal for what is no event
// or has more than maxReply bytes.
func (r *eventReader) next() (Event, error) {
	var e Event
	var data []byte
	left, some := maxReply, false
	for {
		line, err := r.line(&left)
		if err != nil {
			return Event{}, err
		}
		if len(line) == 0 {
			if !some {
				e.Kind = ""
				left = maxReply
				continue
			}
			if trimmed := bytes.TrimLeft(data, " \t\n"); len(trimmed) == 0 || trimmed[0] != '{' || !json.Valid(data) {
				return Event{}, &policy.Error{Code: policy.CodeInternal, Message: "the daemon's event holds no JSON object"}
			}
			e.ID, e.Data = r.id, data
			return e, nil
		}
		name, value, _ := strings.Cut(string(line), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			if some {
				data = append(data, '\n')
			}
			data, some = append(data, value...), true
		case "event":
			e.Kind = value
		case "id":
			if !strings.Contains(value, "\x00") {
				r.id = value
			}
		}
	}
}

// line reads one and takes its length from left.
func (r *eventReader) line(left *int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			return nil, &policy.Error{Code: policy.CodeInternal, Message: "the daemon's event is too large"}
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
