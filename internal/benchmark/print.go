package benchmark

import (
	"fmt"
	"io"
	"math"
)

// Print writes the report as Markdown.
func (r *Report) Print(w io.Writer) {
	printRows(w, wayOurs, r.Rows())
	for _, p := range r.Peers {
		fmt.Fprintf(w, "\n%s: %s", p.Name, p.State)
		if p.Detail != "" {
			fmt.Fprintf(w, ": %s", p.Detail)
		}
		fmt.Fprintln(w)
		if rows := r.PeerRows(p.Name); len(rows) > 0 {
			fmt.Fprintln(w)
			printRows(w, p.Name, rows)
		}
	}
	for _, u := range r.Unmeasured {
		fmt.Fprintf(w, "\nnot measured: %s: %s\n", u.Figure, u.Error)
	}
	r.printRest(w)
}

func printRows(w io.Writer, way string, rows []Row) {
	fmt.Fprintf(w, "| figure | bare | %s | ratio | target | verdict | started |\n", way)
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	for _, row := range rows {
		bare, ratio := "", ""
		if row.Bare != 0 {
			bare, ratio = value(row.Bare, row.Unit), "**"+ratioText(row.Ratio())+"**"
		}
		bound, met := row.told()
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", row.Figure, bare, value(row.Ours, row.Unit), ratio, bound, met, starts(row.Starts))
	}
}

// told is the target in words and what became of it, empty where there is none.
func (r Row) told() (bound, verdict string) {
	t := r.Target
	if t == nil {
		return "", ""
	}
	bound, verdict = t.word()+" "+plain(t.Bound), "missed"
	if t.OfValue && r.Unit != "" {
		bound += " " + r.Unit
	}
	if r.Met() {
		verdict = "met"
	}
	return bound, verdict
}

// printRest is what is told beside the figures.
func (r *Report) printRest(w io.Writer) {
	for _, t := range r.Throughputs {
		for _, way := range t.Ways {
			if way.Failures > 0 {
				fmt.Fprintf(w, "\n%s, %s, %s: %d runs failed, the first: %s\n", titles[t.Language], clients(t.Clients), way.Way, way.Failures, way.FirstError)
			}
		}
	}
	for _, b := range r.Bursts {
		if b.FirstError != "" {
			fmt.Fprintf(w, "\nburst of %d, %s: the first that was not run: %s\n", b.Requests, titles[b.Language], b.FirstError)
		}
	}
	for _, l := range r.Latencies {
		for _, t := range l.Ways {
			if t.DaemonTotalMS > 0 && l.Figure != CPU {
				fmt.Fprintf(w, "\n%s %s, %s: in the daemon %.1f ms, of which the start %.1f ms (medians)\n",
					titles[l.Language], l.Program, t.Way, t.DaemonTotalMS, t.DaemonStartMS)
			}
		}
	}
	fmt.Fprintf(w, "\nmemory after the runs: daemon %.0f MB, spawner %.0f MB\n", r.DaemonRSSMB, r.SpawnerRSSMB)
	m := r.Machine
	fmt.Fprintf(w, "\nsafe-exec %s; Linux %s, %d processors (%s), %.0f MB, cgroup %s; %s, %.0f s; load average %v at the begin, %v at the end\n",
		r.Version, m.Kernel, m.Processors, m.Model, m.MemoryMB, m.Cgroup, m.Started, m.Seconds, m.LoadAtBegin, m.LoadAtEnd)
}

func (t Target) word() string {
	if t.AtLeast {
		return "at least"
	}
	return "at most"
}

// value is a number with its unit; a count has none.
func value(v float64, unit string) string {
	if unit == "" {
		return plain(v)
	}
	return number3(v) + " " + unit
}

// number3 has three digits that count, and all before the point.
func number3(v float64) string {
	digits := 2
	for a := math.Abs(v); a >= 10 && digits > 0; a /= 10 {
		digits--
	}
	return fmt.Sprintf("%.*f", digits, v)
}

func plain(v float64) string { return fmt.Sprintf("%g", v) }

func starts(modes map[string]int) string {
	var words []string
	for _, mode := range sortedKeys(modes) {
		words = append(words, fmt.Sprintf("%s %d", mode, modes[mode]))
	}
	return list(words)
}

// ratioText has three digits, so that what barely misses a target is seen to.
func ratioText(ratio float64) string {
	if ratio < 1 {
		return fmt.Sprintf("%.3f", ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}
