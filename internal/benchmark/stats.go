package benchmark

import (
	"maps"
	"slices"
	"strings"

	"safe-exec/policy"
)

// quantile is the value at or above which the share 1-q of a sorted sample
// lies; of an empty one it is 0. It is a time that was measured: libraries of
// statistics put one between two.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func median(v []float64) float64 { return quantile(slices.Sorted(slices.Values(v)), 0.50) }

// samples are the runs of one way, in milliseconds.
type samples struct {
	took, start, total []float64
	modes              map[string]int
}

func (s *samples) add(tookMS float64, m *policy.Metrics) {
	s.took = append(s.took, tookMS)
	if m == nil {
		return
	}
	s.start = append(s.start, m.StartTimeMS)
	s.total = append(s.total, m.TotalTimeMS)
	count(&s.modes, m)
}

func (s *samples) timing(way string, command []string) Timing {
	sorted := slices.Sorted(slices.Values(s.took))
	return Timing{
		Way: way, Runs: len(sorted), Command: command, StartModes: s.modes,
		P50: quantile(sorted, 0.50), P95: quantile(sorted, 0.95), P99: quantile(sorted, 0.99),
		DaemonStartMS: median(s.start), DaemonTotalMS: median(s.total),
	}
}

// count notes how the daemon started a run.
func count(modes *map[string]int, m *policy.Metrics) {
	if m == nil {
		return
	}
	if *modes == nil {
		*modes = make(map[string]int)
	}
	(*modes)[m.StartMode]++
}

func list(names []string) string { return strings.Join(names, ", ") }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
