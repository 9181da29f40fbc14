package benchmark

import (
	"fmt"
	"io"
)

// Print writes the report as two Markdown tables.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintln(w, "| program: hello | bare p50 ms | p95 | p99 | safe-exec p50 ms | p95 | p99 | p50 / bare | start in daemon | total in daemon |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
	for _, f := range r.Figures {
		fmt.Fprintf(w, "| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | **%.2f** | %.1f | %.1f |\n", f.Case,
			f.Bare.P50, f.Bare.P95, f.Bare.P99, f.Jail.P50, f.Jail.P95, f.Jail.P99, f.Jail.P50/f.Bare.P50, f.StartMS, f.TotalMS)
	}
	if len(r.Figures) > 0 && len(r.Figures[0].Throughput) > 0 {
		r.printThroughput(w)
	}
	fmt.Fprintf(w, "\nmemory after the runs: daemon %.0f MiB, spawner %.0f MiB\n", r.DaemonRSSMB, r.SpawnerRSSMB)
}

func (r *Report) printThroughput(w io.Writer) {
	fmt.Fprintln(w)
	fmt.Fprintln(w, "| runs per second | clients | bare | safe-exec | share of bare | failures |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, f := range r.Figures {
		for _, t := range f.Throughput {
			fmt.Fprintf(w, "| %s | %d | %.0f | %.0f | %.0f %% | %d |\n", f.Case, t.Clients, t.Bare, t.Jail, 100*t.Jail/t.Bare, t.Failures)
		}
	}
}
