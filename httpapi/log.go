package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// Logged is an executor that writes one line for each run that was tried.
func Logged(e policy.Executor, log *slog.Logger) policy.Executor { return loggedExecutor{e, log} }

// loggedExecutor writes one line for each run that was tried.
type loggedExecutor struct {
	policy.Executor
	log *slog.Logger
}

func (l loggedExecutor) Execute(ctx context.Context, req policy.Request) (*policy.Result, error) {
	result, err := l.try(ctx, req)
	attrs := append(observe.ProgramOf(req).Attrs(), OriginOf(ctx).Attrs()...)
	level := slog.LevelInfo
	switch {
	case err != nil:
		var more []slog.Attr
		level, more = errorAttrs(err)
		attrs = append(attrs, more...)
	default:
		attrs = append(attrs,
			slog.String("execution_id", result.ExecutionID), slog.String("verdict", string(result.Status)),
			slog.String("start_mode", result.Metrics.StartMode),
			slog.String("reason", string(result.Termination.Reason)), slog.Float64("total_ms", result.Metrics.TotalTimeMS))
	}
	l.log.LogAttrs(ctx, level, "run", attrs...)
	return result, err
}

// checkAttrs is what the line of a request that was only checked says more.
func checkAttrs(c *policy.CheckResult) []slog.Attr {
	return []slog.Attr{
		slog.String("execution_id", c.ExecutionID), slog.Bool("would_run", c.WouldRun),
		slog.String("reason", string(c.Termination.Reason)), slog.Float64("total_ms", c.Metrics.TotalTimeMS),
	}
}

// try makes an error of whatever an executor must not do.
func (l loggedExecutor) try(ctx context.Context, req policy.Request) (result *policy.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			l.log.Error("panic", "stack", string(debug.Stack()))
			result, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	result, err = l.Executor.Execute(ctx, req)
	if err == nil && result == nil {
		err = errors.New("executor gave neither result nor error")
	}
	return result, err
}

// OriginOf says where a run comes from: what observe.With put into the context,
// with the ids of the request and the job that the context belongs to.
func OriginOf(ctx context.Context) observe.Origin {
	o := observe.From(ctx)
	if id, ok := ctx.Value(requestIDKey{}).(string); ok {
		o.RequestID = id
	}
	if o.Kind == "" {
		o.Kind = observe.Sync
	}
	if t, ok := TraceFrom(ctx); ok {
		o.TraceID, o.SpanID = t.ID, t.Span
	}
	return o
}

// observeProblem tells of a request that is answered by a problem document.
func (s *Server) observeProblem(err error) {
	p := ProblemOf(err)
	s.cfg.Observe.Problem(p.Code)
	if p.Reason != "" {
		s.cfg.Observe.Refused(p.Reason)
	}
}

// loggedFields are the fields whose names a log may hold. Any other name in an
// error is a caller's text, and may well be a piece of a program.
var loggedFields = map[string]bool{
	"language": true, "code": true, "policy": true, "profile": true, "limits": true, "wait": true,
	"policy.level": true, "policy.deny": true, "dry_run": true, "level": true, "format": true,
	"limits.timeout_ms": true, "limits.max_memory_mb": true, "limits.max_stdout_bytes": true, "limits.max_stderr_bytes": true,
	"stdin": true, "args": true, "files": true, "collect": true, "stream": true, "traceparent": true,
}

// plainMember is what may stand behind the bracket of a list: an index, and a key of
// ours. An unknown key is a caller's text.
var plainMember = regexp.MustCompile(`^([0-9]{1,4}\](\.(path|content|content_base64))?)?$`)

// errorAttrs says all of an error of ours, and of a caller's error only its
// kind and its field: the sentence quotes what he sent.
func errorAttrs(err error) (slog.Level, []slog.Attr) {
	p := ProblemOf(err)
	attrs := []slog.Attr{slog.String("code", string(p.Code))}
	if name, member, _ := strings.Cut(p.Field, "["); loggedFields[name] && plainMember.MatchString(member) {
		attrs = append(attrs, slog.String("field", p.Field))
	}
	if p.Status < http.StatusInternalServerError {
		return slog.LevelInfo, attrs
	}
	return slog.LevelError, append(attrs, slog.String("error", err.Error()))
}
