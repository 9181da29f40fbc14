package metrics

import (
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"safe-exec/httpapi"
	"safe-exec/httpapi/observe"
)

// gauges asks for what is so at this moment.
type gauges struct {
	cfg Config

	mu   sync.Mutex
	last httpapi.Description
	err  error
	at   time.Time
}

// describeEvery spares the process that is asked: a scrape every 15 seconds is usual,
// one from each caller is not.
const describeEvery = time.Second

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

var (
	buildInfo  = gauge("build_info", "Always 1.", "version", "go_version")
	restarts   = gauge("broker_restarts", "How often the process that answers was started again since the daemon's start.")
	describes  = gauge("executor_answers", "1 if the process that makes jails answered when it was last asked, else 0 and its gauges are missing.")
	held       = gauge("posture_held", "1 if every probe of the last short escape battery was held, else 0 and nothing runs.")
	probes     = gauge("posture_probes", "Probes of the last short escape battery.")
	age        = gauge("posture_age_seconds", "Time since it was run.")
	unasked    = gauge("posture_unasked", "1 if the short escape battery could not be run since, and the last answer stands for a few intervals, else 0.")
	leaves     = gauge("quarantined_leaves", "Control groups that could not be removed.")
	spares     = gauge("spares", "Jails that wait for a run to come.")
	templates  = gauge("templates", "Processes that fork jails.")
	running    = gauge("running", "Runs at this moment.", "kind")
	waiting    = gauge("queue_depth", "Runs that wait for a place.", "kind")
	oldest     = gauge("queue_oldest_seconds", "How long the first of them has waited.", "kind")
	ready      = gauge("ready", "1 if GET /readyz answers that work is taken, else 0.")
	storing    = gauge("job_store_writable", "1 if the store of jobs can be written and is whole, else 0.")
	writable   = gauge("ledger_writable", "1 if the audit ledger can be written, else 0.")
	unwritten  = gauge("ledger_waiting", "Records that could not be written yet.")
	recorded   = gauge("ledger_records_total", "Records written.")
	unrecorded = gauge("ledger_lost_total", "Runs without a record: none could be written, and the memory for them was full.")
)

// Describe names none: which there are depends on the configuration.
func (g *gauges) Describe(chan<- *prometheus.Desc) {}

// Collect gives them.
func (g *gauges) Collect(out chan<- prometheus.Metric) {
	put := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	count := func(d *prometheus.Desc, v uint64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v))
	}
	put(buildInfo, 1, g.cfg.Version, runtime.Version())
	for kind, queue := range map[observe.Kind]func() observe.Queue{observe.Sync: g.cfg.Sync, observe.Job: g.cfg.Jobs} {
		if queue != nil {
			q := queue()
			put(running, float64(q.Running), string(kind))
			put(waiting, float64(q.Waiting), string(kind))
			put(oldest, q.Oldest.Seconds(), string(kind))
		}
	}
	if g.cfg.Ready != nil {
		put(ready, truth(g.cfg.Ready() == nil))
	}
	if g.cfg.Store != nil {
		put(storing, truth(g.cfg.Store() == nil))
	}
	if g.cfg.Ledger != nil {
		l := g.cfg.Ledger()
		put(writable, truth(!l.Failing))
		put(unwritten, float64(l.Waiting))
		count(recorded, l.Records)
		count(unrecorded, l.Lost)
	}
	if g.cfg.Describe != nil {
		d, err := g.description()
		put(describes, truth(err == nil))
		if err == nil {
			g.posture(d.Posture, put)
		}
	}
}

func (g *gauges) posture(p httpapi.Posture, put func(*prometheus.Desc, float64, ...string)) {
	put(held, truth(p.Check.Held))
	put(probes, float64(p.Check.Probes))
	put(age, time.Since(p.Check.Time).Seconds())
	put(unasked, truth(p.Check.Unasked != ""))
	put(leaves, float64(p.Quarantined))
	put(spares, float64(p.Spares))
	put(templates, float64(p.Templates))
	for _, one := range p.Processes {
		if one.Name == httpapi.BrokerProcess {
			put(restarts, float64(one.Starts-1))
		}
	}
}

func (g *gauges) description() (httpapi.Description, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.at.IsZero() || time.Since(g.at) >= describeEvery {
		g.last, g.err = g.cfg.Describe()
		g.at = time.Now()
	}
	return g.last, g.err
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
