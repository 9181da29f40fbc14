package main

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"safe-exec/httpapi"
)

// metrics serves what an operator should be woken for. No label names a caller,
// a run or a path.
func metrics(describe func() httpapi.Description) http.Handler {
	registry := prometheus.NewRegistry()
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "safe_exec", Name: name, Help: help}, value))
	}
	gauge("posture_held", "1 if every probe of the last short escape battery was held, else 0 and nothing runs.", func() float64 {
		if describe().Posture.Check.Held {
			return 1
		}
		return 0
	})
	gauge("posture_probes", "Probes of the last short escape battery.", func() float64 { return float64(describe().Posture.Check.Probes) })
	gauge("posture_age_seconds", "Time since it was run.", func() float64 { return time.Since(describe().Posture.Check.Time).Seconds() })
	gauge("quarantined_leaves", "Control groups that could not be removed.", func() float64 { return float64(describe().Posture.Quarantined) })
	gauge("spares", "Jails that wait for a run to come.", func() float64 { return float64(describe().Posture.Spares) })
	gauge("templates", "Processes that fork jails.", func() float64 { return float64(describe().Posture.Templates) })
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}
