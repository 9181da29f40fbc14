package main

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"safe-exec/nsjail"
	"safe-exec/nsjail/escape"
)

// metrics serves what an operator should be woken for. No label names a caller,
// a run or a path.
func metrics(r *nsjail.Runner, g *escape.Guard) http.Handler {
	registry := prometheus.NewRegistry()
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "safe_exec", Name: name, Help: help}, value))
	}
	gauge("posture_held", "1 if every probe of the last short escape battery was held, else 0 and nothing runs.", func() float64 {
		if g.Status().Held {
			return 1
		}
		return 0
	})
	gauge("posture_probes", "Probes of the last short escape battery.", func() float64 { return float64(g.Status().Probes) })
	gauge("posture_age_seconds", "Time since it was run.", func() float64 { return time.Since(g.Status().Time).Seconds() })
	gauge("quarantined_leaves", "Control groups that could not be removed.", func() float64 { return float64(r.Quarantined()) })
	gauge("spares", "Jails that wait for a run to come.", func() float64 { spares, _ := r.Waiting(); return float64(spares) })
	gauge("templates", "Processes that fork jails.", func() float64 { _, templates := r.Waiting(); return float64(templates) })
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}
