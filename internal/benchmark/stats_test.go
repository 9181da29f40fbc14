package benchmark

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

func TestQuantilesOfAnySample(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		sample := make([]float64, 1+random.IntN(300))
		for i := range sample {
			sample[i] = random.ExpFloat64() * 10
		}
		sorted := slices.Sorted(slices.Values(sample))
		before := 0.0
		for _, q := range []float64{0, 0.25, 0.50, 0.95, 0.99, 1} {
			v := quantile(sorted, q)
			assert.Contains(t, sample, v, "it is one of the sample")
			assert.GreaterOrEqual(t, v, before, "a higher quantile is not lower")
			before = v
			below := 0
			for _, one := range sample {
				if one < v {
					below++
				}
			}
			assert.LessOrEqual(t, float64(below), q*float64(len(sample)), "no more than its share is below")
		}
		assert.Equal(t, sorted[0], quantile(sorted, 0))
		assert.Equal(t, sorted[len(sorted)-1], quantile(sorted, 1))
		s := samples{took: sample}
		forward := s.timing("x", nil)
		slices.Reverse(s.took)
		assert.Equal(t, forward, s.timing("x", nil), "the order of the runs does not matter")
	}
	assert.Zero(t, quantile(nil, 0.5))
}

func TestWhatTheDaemonToldIsCounted(t *testing.T) {
	var s samples
	s.add(5, &policy.Metrics{StartMode: "cold", StartTimeMS: 3, TotalTimeMS: 4})
	s.add(1, &policy.Metrics{StartMode: "fork", StartTimeMS: 0.1, TotalTimeMS: 0.5})
	s.add(2, &policy.Metrics{StartMode: "fork", StartTimeMS: 0.2, TotalTimeMS: 0.6})
	assert.Equal(t, Timing{Way: "w", Runs: 3, P50: 2, P95: 5, P99: 5, StartModes: map[string]int{"cold": 1, "fork": 2}, DaemonStartMS: 0.2, DaemonTotalMS: 0.6},
		s.timing("w", nil))
}

func TestNumbersAreShownWithThreeDigits(t *testing.T) {
	for _, row := range []struct {
		v    float64
		unit string
		want string
	}{
		{0.123456, "ms", "0.12 ms"}, {2.4, "ms", "2.40 ms"}, {9.996, "ms", "10.00 ms"}, {12.34, "ms", "12.3 ms"}, {123.4, "MB", "123 MB"},
		{2598.4, "MB", "2598 MB"}, {0, "", "0"}, {-3, "", "-3"}, {64, "", "64"},
	} {
		assert.Equal(t, row.want, value(row.v, row.unit))
	}
}
