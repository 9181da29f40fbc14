package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"safe-exec/httpapi"
	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

const namespace = "safe_exec"

// Config says where the gauges come from. Each function is called when somebody asks
// for the metrics, by one goroutine at a time; nil leaves its gauges out.
type Config struct {
	// Describe is asked at most once a second.
	Describe func() (httpapi.Description, error)
	Sync     func() observe.Queue
	Jobs     func() observe.Queue
	Ledger   func() Ledger
	// Ready is what GET /readyz asks, Store whether jobs can be kept; nil is yes.
	Ready, Store func() error
	Version      string
}

// Ledger is how the audit ledger fares.
type Ledger struct {
	Records uint64
	Lost    uint64 // runs without a record
	Waiting int    // records that could not be written yet
	Failing bool
}

// Metrics is an observe.Observer, and the handler of GET /metrics.
type Metrics struct {
	http.Handler
	runs, problems, refused, denials, truncated, jails, files *prometheus.CounterVec
	seconds                                                   *prometheus.HistogramVec
	cpu                                                       *prometheus.CounterVec
}

// buckets are seconds: a fork takes a few milliseconds, no run more than a minute.
var buckets = []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60}

// New registers all that is counted, with each value of the smaller sets at zero, so
// that an alert on a rate works from the first event on.
func New(cfg Config) *Metrics {
	registry := prometheus.NewRegistry()
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
		registry.MustRegister(v)
		return v
	}
	m := &Metrics{
		runs:      counter("runs_total", "Runs and checks that ended, whatever became of them.", "kind", "language", "status", "reason", "start_mode"),
		problems:  counter("problems_total", "Requests that were answered by a problem document.", "code"),
		refused:   counter("refused_total", "Requests that were turned away for want of room.", "reason"),
		denials:   counter("denials_total", "System calls that a filter refused.", "syscall"),
		truncated: counter("truncated_total", "Runs whose output was longer than what is kept.", "stream"),
		jails:     counter("jails_total", "Runs by where their jail came from: spare and template are hits of the pool, cold is a miss.", "source"),
		files:     counter("files_total", "Files of working directories that matched what a request asked back.", "outcome"),
		cpu:       counter("cpu_seconds_total", "Processor time of runs, user and system, with the interpreter's start where it was made for the run.", "language"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "run_seconds", Help: "How long the phases of a run took.", Buckets: buckets,
		}, []string{"phase", "language"}),
	}
	registry.MustRegister(m.seconds)
	for vec, values := range map[*prometheus.CounterVec]closed{m.problems: codes, m.refused: refused, m.truncated: streams, m.jails: sources, m.files: files, m.cpu: languages} {
		for _, v := range values.values() {
			vec.WithLabelValues(v)
		}
	}
	registry.MustRegister(&gauges{cfg: cfg}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.Handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// Refused counts a request that was turned away.
func (m *Metrics) Refused(reason string) { m.refused.WithLabelValues(refused.of(reason)).Inc() }

// Problem counts a problem document.
func (m *Metrics) Problem(code policy.Code) {
	m.problems.WithLabelValues(codes.of(string(code))).Inc()
}
