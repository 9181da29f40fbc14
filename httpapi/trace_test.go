package httpapi

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
)

var traceparents = []struct {
	name, sent string
	flags      string // empty: a new trace
}{
	{"a sampled parent is followed", "00-" + traceID + "-" + spanID + "-01", "01"},
	{"one that is not sampled is followed", "00-" + traceID + "-" + spanID + "-00", "00"},
	{"flags that nobody knows are dropped", "00-" + traceID + "-" + spanID + "-fd", "01"},
	{"a later version is read as far as it is known", "cc-" + traceID + "-" + spanID + "-01-what-comes-then", "01"},
	{"a later version of the same length is read", "01-" + traceID + "-" + spanID + "-01", "01"},
	{"version 00 with more behind is malformed", "00-" + traceID + "-" + spanID + "-01-more", ""},
	{"version ff is forbidden", "ff-" + traceID + "-" + spanID + "-01", ""},
	{"a later version with more glued to it is malformed", "cc-" + traceID + "-" + spanID + "-01.more", ""},
	{"upper case is malformed", "00-" + strings.ToUpper(traceID) + "-" + spanID + "-01", ""},
	{"an id of zeros is none", "00-" + strings.Repeat("0", 32) + "-" + spanID + "-01", ""},
	{"a span of zeros is none", "00-" + traceID + "-" + strings.Repeat("0", 16) + "-01", ""},
	{"a short id is malformed", "00-" + traceID[1:] + "-" + spanID + "-01", ""},
	{"flags of one digit are malformed", "00-" + traceID + "-" + spanID + "-1", ""},
	{"no digit is malformed", "00-" + traceID[1:] + "g-" + spanID + "-01", ""},
	{"white space inside is malformed", "00-" + traceID + " -" + spanID + "-01", ""},
	{"a quote is malformed", `00-"`, ""},
	{"none is begun", "", ""},
}

func TestTraceparents(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo)})
	spans := map[string]bool{}
	for _, row := range traceparents {
		t.Run(row.name, func(t *testing.T) {
			r := d.do("GET", "/healthz", "", "Traceparent", row.sent, "Tracestate", "a=1")
			m := regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$`).FindStringSubmatch(r.Header.Get("Traceparent"))
			require.NotNil(t, m, r.Header)
			if row.flags != "" {
				assert.Equal(t, []string{traceID, row.flags, "a=1"}, []string{m[1], m[3], r.Header.Get("Tracestate")})
			} else {
				assert.NotEqual(t, traceID, m[1])
				assert.Empty(t, r.Header.Get("Tracestate"), "a state without its parent says nothing")
			}
			assert.False(t, spans[m[2]] || m[2] == spanID, "each request is a span of its own")
			spans[m[2]] = true
			assert.Eventually(t, func() bool { // the log follows the reply
				return strings.Contains(d.log.String(), `"trace_id":"`+m[1]+`","span_id":"`+m[2]+`"`)
			}, 10*time.Second, time.Millisecond)
		})
	}
}

func TestTwoParentsAreNone(t *testing.T) {
	parent := "00-" + traceID + "-" + spanID + "-01"
	assert.NotEqual(t, traceID, traceOf(http.Header{"Traceparent": {parent, parent}}).ID)
}

func TestTracestates(t *testing.T) {
	for _, row := range []struct {
		name, state string
		passed      bool
	}{
		{"one member", "rojo=00f067aa0ba902b7", true},
		{"two of them, with white space", "rojo=1 , congo=t61rcWkgMzE", true},
		{"a tenant", "fw529a3039@dt=FfAAAA", true},
		{"a value with a space inside", "a=b c", true},
		{"32 members", strings.TrimSuffix(many(32, "k%d=v,"), ","), true},
		{"33 members", strings.TrimSuffix(many(33, "k%d=v,"), ","), false},
		{"a key twice", "a=1,a=2", false},
		{"no value", "a=", false},
		{"no key", "=a", false},
		{"an upper-case key", "A=1", false},
		{"an equals sign in the value", "a=b=c", false},
		{"an empty member", "a=1,,b=2", false},
		{"more than 512 bytes", "a=" + strings.Repeat("x", 250) + ",b=" + strings.Repeat("x", 250) + ",c=123456", false},
		{"what is no ASCII", "a=ü", false},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.passed, validTracestate(row.state)) })
	}
}

func TestTheExecutorSeesTheTrace(t *testing.T) {
	seen := make(chan Trace, 1)
	d := start(t, Config{Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) {
		trace, _ := TraceFrom(ctx)
		seen <- trace
		return echo(ctx, r)
	})})
	r := d.do("POST", runPath, hello, "Traceparent", "00-"+traceID+"-"+spanID+"-01")
	require.Equal(t, 200, r.StatusCode)
	got := await(t, "the run", seen)
	assert.Equal(t, traceID, got.ID)
	assert.Contains(t, r.Header.Get("Traceparent"), got.Span)
	_, ok := TraceFrom(t.Context())
	assert.False(t, ok)
}

func FuzzTraceContext(f *testing.F) {
	for _, row := range traceparents {
		f.Add(row.sent, "a=1,b@c=2")
	}
	known := regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$`)
	f.Fuzz(func(t *testing.T, parent, state string) {
		reply := http.Header{}
		trace := traceOf(http.Header{"Traceparent": {parent}, "Tracestate": {state}})
		trace.set(reply)
		assert.Regexp(t, known, reply.Get("Traceparent"))
		assert.LessOrEqual(t, len(reply.Get("Tracestate")), maxTracestate)
		for _, c := range []byte(reply.Get("Tracestate")) {
			assert.True(t, c == '\t' || c >= ' ' && c < 0x7f, "%q would end a header line", c)
		}
		assert.True(t, trace.state == "" || strings.Contains(parent, trace.ID))
	})
}
