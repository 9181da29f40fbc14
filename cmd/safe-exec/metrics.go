package main

import (
	"safe-exec/httpapi"
	"safe-exec/httpapi/ledger"
	"safe-exec/httpapi/observe/metrics"
)

// newMetrics counts what the API is told of, beside what describe says of the jails
// and l, which may be nil, of itself. Whoever wires it sets the rest where it is known.
func newMetrics(cfg metrics.Config, describe func() (httpapi.Description, error), l *ledger.Ledger) *metrics.Metrics {
	cfg.Version, cfg.Describe = version, describe
	if l != nil {
		cfg.Ledger = func() metrics.Ledger {
			s := l.Stats()
			return metrics.Ledger{Records: s.Records, Lost: s.Lost, Waiting: s.Waiting, Failing: s.Err != nil}
		}
	}
	return metrics.New(cfg)
}
