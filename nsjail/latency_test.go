package nsjail_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func BenchmarkHello(b *testing.B) {
	for language, code := range map[string]string{"python": "print('hello')", "javascript": "console.log('hello')"} {
		b.Run(language, func(b *testing.B) {
			var start, run, total float64
			for b.Loop() {
				result, err := shared.Execute(b.Context(), policy.Request{Language: language, Code: code})
				require.NoError(b, err)
				require.Equal(b, "hello\n", result.Stdout, "%+v", result)
				start += result.Metrics.StartTimeMS
				run += result.Metrics.ExecutionTimeMS
				total += result.Metrics.TotalTimeMS
			}
			b.ReportMetric(start/float64(b.N), "start-ms/op")
			b.ReportMetric(run/float64(b.N), "run-ms/op")
			b.ReportMetric(total/float64(b.N), "total-ms/op")
		})
	}
}
