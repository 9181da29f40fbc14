package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"regexp"
	"strings"
)

// Trace places a request in its caller's trace, after W3C Trace Context. Its ids
// are lower-case hexadecimal.
type Trace struct {
	ID    string // 32 digits, not all zero
	Span  string // 16 digits, not all zero: this request's own, new each time
	flags string // 2 digits
	state string // tracestate, passed through
}

type traceKey struct{}

// TraceFrom gives the trace that the request of this context belongs to; false
// outside a request.
func TraceFrom(ctx context.Context) (Trace, bool) {
	t, ok := ctx.Value(traceKey{}).(Trace)
	return t, ok
}

// traceOf reads traceparent and tracestate. A traceparent that is missing,
// malformed or given twice begins a new trace, and takes a tracestate with it:
// the two belong together.
func traceOf(h http.Header) Trace {
	t := Trace{ID: randomHex(16), Span: randomHex(8), flags: "00"}
	if sent := h.Values("Traceparent"); len(sent) == 1 {
		if id, flags, ok := parseTraceparent(sent[0]); ok {
			t.ID, t.flags = id, flags
			if state := strings.Join(h.Values("Tracestate"), ","); validTracestate(state) {
				t.state = state
			}
		}
	}
	return t
}

// set says in a reply which trace and span the request had.
func (t Trace) set(h http.Header) {
	h.Set("Traceparent", "00-"+t.ID+"-"+t.Span+"-"+t.flags)
	if t.state != "" {
		h.Set("Tracestate", t.state)
	}
}

var traceparent = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$`)

// parseTraceparent takes version 00 to the letter and of later ones what they
// share with it, as section 3.2 of the recommendation asks. Of the flags it keeps
// those it knows: sampled, and that the id is random.
func parseTraceparent(s string) (id, flags string, ok bool) {
	m := traceparent.FindStringSubmatch(s)
	switch {
	case m == nil, m[1] == "ff", m[1] == "00" && m[5] != "":
		return "", "", false
	case strings.Trim(m[2], "0") == "", strings.Trim(m[3], "0") == "":
		return "", "", false
	}
	bits, err := hex.DecodeString(m[4])
	if err != nil {
		return "", "", false
	}
	return m[2], hex.EncodeToString([]byte{bits[0] & 3}), true
}

// maxTracestate is what the recommendation says to pass on at least, in bytes;
// more is dropped.
const (
	maxTracestate        = 512
	maxTracestateMembers = 32
)

var tracestateMember = regexp.MustCompile(`^[ \t]*([a-z0-9][a-z0-9_\-*/]{0,255}(?:@[a-z][a-z0-9_\-*/]{0,13})?)=[ -+\--<>-~]{0,255}[!-+\--<>-~][ \t]*$`)

func validTracestate(s string) bool {
	if s == "" || len(s) > maxTracestate {
		return false
	}
	members := strings.Split(s, ",")
	if len(members) > maxTracestateMembers {
		return false
	}
	seen := map[string]bool{}
	for _, member := range members {
		m := tracestateMember.FindStringSubmatch(member)
		if m == nil || seen[m[1]] {
			return false
		}
		seen[m[1]] = true
	}
	return true
}

// randomHex gives n random bytes in hexadecimal. That all are zero does not
// happen.
func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails, since Go 1.24
	return hex.EncodeToString(b)
}
