package observe

import (
	"context"
	"log/slog"
	"time"
)

// Origin says where a run comes from. It travels in a context from the request,
// or the worker of a job, to what tells of the run.
type Origin struct {
	Kind      Kind
	RequestID string
	TraceID   string // W3C trace context: 32 hexadecimal digits
	SpanID    string // 16 hexadecimal digits
	JobID     string
	Attempt   int64
	Waited    time.Duration // for its place
}

type originKey struct{}

// With gives a context that carries the origin.
func With(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// From gives the origin that the context carries; the zero Origin where it has none.
func From(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}

// Attrs names the origin in a log, without what is not known.
func (o Origin) Attrs() []slog.Attr {
	var attrs []slog.Attr
	for _, a := range []struct{ key, value string }{
		{"request_id", o.RequestID}, {"trace_id", o.TraceID}, {"span_id", o.SpanID}, {"job_id", o.JobID},
	} {
		if a.value != "" {
			attrs = append(attrs, slog.String(a.key, a.value))
		}
	}
	return attrs
}
