package httpapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"safe-exec/httpapi/jobs"
	"safe-exec/policy"
)

const (
	runPath   = "/v1/tools/safe-exec"
	asyncPath = "/v1/tools/safe-exec/async"
	jobPrefix = "/v1/jobs/"
	jobsPath  = "/v1/jobs"
	jobRoute  = jobPrefix + "{id}"
	// eventsRoute is jobRoute with this behind it.
	eventsTail  = "/events"
	eventsRoute = jobRoute + eventsTail
)

// operation is one method of one path.
type operation struct {
	handle func(*exchange) error
	query  []string // the parameters that there are; any other is refused
}

type methods map[string]operation

// table is written out, path by path: http.ServeMux would answer a wrong
// method or an untidy path with text and redirects of its own.
func (s *Server) table() map[string]methods {
	table := map[string]methods{
		runPath:         {http.MethodPost: {s.runNow, []string{"dry_run", "stream"}}},
		"/v1/runtimes":  {http.MethodGet: {s.runtimes, nil}},
		"/v1/policy":    {http.MethodGet: {s.policies, []string{"language", "level", "format"}}},
		"/v1/posture":   {http.MethodGet: {s.posture, nil}},
		"/healthz":      {http.MethodGet: {s.health, nil}},
		"/readyz":       {http.MethodGet: {s.readiness, nil}},
		"/openapi.json": {http.MethodGet: {s.openapi, nil}},
	}
	if s.cfg.Jobs != nil {
		table[asyncPath] = methods{http.MethodPost: {s.runLater, []string{"ttl"}}}
		table[jobsPath] = methods{http.MethodGet: {s.listJobs, []string{"status", "limit", "after"}}}
		table[jobRoute] = methods{http.MethodGet: {s.getJob, []string{"wait"}}, http.MethodDelete: {s.cancelJob, nil}}
		table[eventsRoute] = methods{http.MethodGet: {s.jobEvents, nil}}
	}
	if s.cfg.Metrics != nil {
		table["/metrics"] = methods{http.MethodGet: {s.metrics, nil}}
	}
	return table
}

// route finds the operation, and the route's name for the log; a path that
// nobody knows is not logged, since it may hold anything.
func (s *Server) route(r *http.Request) (name, id string, op operation, err error) {
	name, id = routeOf(r.URL.Path)
	m, ok := s.routes[name]
	if !ok || strings.HasPrefix(name, jobRoute) && id == "" {
		return "unknown", "", op, &policy.Error{Code: policy.CodeNotFound, Message: "there is no such path"}
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if op, ok = m[method]; !ok {
		allow := m.names()
		return name, id, op, &refusal{
			status: http.StatusMethodNotAllowed, allow: allow,
			cause: policy.InvalidAt("", "this path takes %s only", policy.Join(allow)),
		}
	}
	return name, id, op, nil
}

// names are those of all methods that are answered.
func (m methods) names() []string {
	all := slices.Collect(maps.Keys(m))
	if slices.Contains(all, http.MethodGet) {
		all = append(all, http.MethodHead)
	}
	slices.Sort(all)
	return all
}

// routeOf gives a path its name in the table, and the job that it names.
func routeOf(path string) (name, id string) {
	rest, ok := strings.CutPrefix(path, jobPrefix)
	if !ok {
		return path, ""
	}
	name = jobRoute
	if rest, ok = strings.CutSuffix(rest, eventsTail); ok {
		name = eventsRoute
	}
	if rest == "" || strings.Contains(rest, "/") {
		return path, ""
	}
	return name, rest
}

// exchange is one request on its way.
type exchange struct {
	w         http.ResponseWriter
	r         *http.Request
	caller    policy.Caller
	allowance Allowance
	requestID string
	room      room
	bodyEnded bool          // nothing more of it is to be awaited
	patience  time.Duration // for what of it nobody reads
	log       slog.Handler  // of the line about this request: identify says which
	jobID     string        // of the path
	query     map[string]string
	status    int
	attrs     []slog.Attr // for the log
}

// owner names the caller among those who have jobs.
func (x *exchange) owner() jobs.Owner { return x.caller.String() }

type requestIDKey struct{}

// ServeHTTP answers one request. Every failure, a panic included, leaves as a
// problem document.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	x := &exchange{w: w, requestID: requestID(r.Header), patience: s.cfg.patience}
	defer x.room.free()
	trace := traceOf(r.Header)
	x.r = r.WithContext(context.WithValue(context.WithValue(r.Context(), requestIDKey{}, x.requestID), traceKey{}, trace))
	w.Header().Set("X-Request-Id", x.requestID)
	trace.set(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	name, err := s.dispatch(x)
	level := slog.LevelInfo
	if err != nil {
		s.observeProblem(err)
		x.problem(err, s.cfg.ReplyTimeout)
		var attrs []slog.Attr
		level, attrs = errorAttrs(err)
		x.attrs = append(x.attrs, attrs...)
	}
	slog.New(x.log).LogAttrs(r.Context(), level, "request", append([]slog.Attr{
		slog.String("request_id", x.requestID), slog.String("trace_id", trace.ID), slog.String("span_id", trace.Span), slog.String("method", methodName(r.Method)), slog.String("route", name),
		slog.Int("status", x.status), slog.Float64("duration_ms", policy.Millis(time.Since(begin))),
	}, x.attrs...)...)
	x.room.free() // what is read now is not kept
	x.takeRest()
}

// methodName is the method where HTTP knows it (RFC 9110, PATCH is RFC 5789): any other is a caller's
// text, which no log holds.
func methodName(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return m
	}
	return "other"
}

func (s *Server) dispatch(x *exchange) (name string, err error) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares the value of a panic in this way, too
				panic(p)
			}
			s.cfg.Logger.Error("panic", "request_id", x.requestID, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	// Before anything is refused: the log names who asked for a wrong path, too.
	refused := s.identify(x)
	name, id, op, err := s.route(x.r)
	if err = cmp.Or(refused, err); err != nil {
		return name, err
	}
	x.jobID = id
	if x.query, err = queryOf(x.r.URL, op.query...); err != nil {
		return name, err
	}
	return name, s.left(x, op.handle(x))
}

// problem writes the document, unless a reply has begun.
func (x *exchange) problem(err error, timeout time.Duration) {
	if x.status != 0 {
		return
	}
	p := x.problemOf(err)
	var r *refusal
	if errors.As(err, &r) && len(r.allow) > 0 {
		x.w.Header().Set("Allow", strings.Join(r.allow, ", "))
	}
	if p.RetryAfter > 0 {
		x.w.Header().Set("Retry-After", fmt.Sprint(p.RetryAfter))
	}
	if p.Code == policy.CodeUnavailable {
		x.w.Header().Set("Connection", "close")
	}
	x.reply(p.Status, ProblemType, p, timeout)
}

// problemOf is the document under this request's id.
func (x *exchange) problemOf(err error) Problem {
	p := ProblemOf(err)
	p.RequestID = x.requestID
	return p
}

// requestID takes the caller's X-Request-Id where it is short and plain enough
// for a log and a header, and makes one otherwise.
func requestID(h http.Header) string {
	id := h.Get("X-Request-Id")
	plain := len(id) > 0 && len(id) <= maxEcho
	for _, c := range []byte(id) {
		plain = plain && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.')
	}
	if !plain {
		return "req_" + rand.Text()
	}
	return id
}
