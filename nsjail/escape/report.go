package escape

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"safe-exec/policy"
)

// Report is the whole battery's answer.
type Report struct {
	Time   time.Time `json:"time"` // of its beginning
	Millis float64   `json:"ms"`   // of all of it
	Facts
	Rows   []Row           `json:"rows"`
	Counts map[Verdict]int `json:"counts"`
	Host   Comparison      `json:"host"`
	// Held means that everything that was asked held, every control of it won,
	// and nothing was left on the host.
	Held bool `json:"held"`
}

// Facts say what was attacked.
type Facts struct {
	Daemon  *Daemon        `json:"daemon,omitempty"` // nil: jails of the process that ran the battery
	Version string         `json:"version"`
	Kernel  string         `json:"kernel"`
	Cgroup  string         `json:"cgroup"`
	Layers  []policy.Layer `json:"layers"`
	Filters []Filter       `json:"filters"`
}

// Daemon is a live one.
type Daemon struct {
	Socket string `json:"socket"`
	PID    int    `json:"pid"`
}

// Filter names the filters of a profile by digest.
type Filter struct {
	Profile     string `json:"profile"`
	Interpreter string `json:"interpreter"`
	Startup     string `json:"startup_sha256"`
	Steady      string `json:"steady_sha256"`
}

// Add appends rows and counts them.
func (r *Report) Add(rows ...Row) {
	if r.Counts == nil {
		r.Counts, r.Held = make(map[Verdict]int), true
	}
	for _, row := range rows {
		r.Rows = append(r.Rows, row)
		r.Counts[row.Verdict]++
		r.Held = r.Held && !row.Verdict.Bad()
	}
}

// Compare records the host before and after.
func (r *Report) Compare(c Comparison) {
	r.Host, r.Held = c, r.Held && c.Left == ""
}

// Sort puts rows that came in any order in that of family, name and policy.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(a.Name, b.Name))
	})
}

// verdicts in the order of a summary.
var verdicts = []Verdict{Escaped, Passed, Broken, Refused, NotAsked, Held, Killed, NotReached, Works}

// Unasked says for each reason how many rows were not asked.
func (r *Report) Unasked() (lines []string) {
	why := make(map[string]int)
	for _, row := range r.Rows {
		if row.Verdict == NotAsked {
			why[row.Evidence]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		lines = append(lines, fmt.Sprintf("%d not asked: %s", why[reason], printable(reason)))
	}
	return lines
}

// Summary is one line.
func (r *Report) Summary() string {
	var parts []string
	if r.Host.Left != "" {
		parts = append(parts, "LEFT BEHIND: "+printable(r.Host.Left))
	}
	for _, v := range verdicts {
		if n := r.Counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

// JSON writes the report for machines.
func (r *Report) JSON(w io.Writer) error {
	return writeJSON(w, r)
}

// Seconds is how long all of it took.
func (r *Report) Seconds() float64 { return r.Millis / 1000 }

// Text writes the matrix for a terminal.
func (r *Report) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "VERDICT\tSEV\tPROBE\tTECHNIQUE\tLANGUAGE\tPOLICY\tEVIDENCE")
	for _, row := range r.Rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.Verdict, row.Severity, printable(row.Name), printable(row.Technique),
			row.language(), printable(row.Policy), shorten(printable(row.Evidence), mostEvidence))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	lines := []string{"", r.Summary()}
	for _, v := range verdicts {
		if r.Counts[v] > 0 {
			lines = append(lines, fmt.Sprintf("  %s: %s", v, meanings[v]))
		}
	}
	_, err := fmt.Fprintln(w, strings.Join(append(lines, r.conclusion()...), "\n"))
	return err
}

// meanings of the verdicts, in a line each.
var meanings = map[Verdict]string{
	Escaped:    "a program got hold of what it must not have, or the answer about it was wrong",
	Passed:     "it got past the import policy; the kernel's layers refused its use",
	Broken:     "the probe proves nothing: it did not win in the naive jail either, where it must, or failed by itself",
	Refused:    "an ordinary program did not get to do what it should",
	NotAsked:   "could not be asked here",
	Held:       "refused; the evidence says by what",
	Killed:     "a limit or the filter ended it",
	NotReached: "the import policy refused it before it began",
	Works:      "an ordinary program did what it should",
}

// why names the verdicts about what was attacked for which a report is a failure.
func (r *Report) why() string {
	var parts []string
	for _, v := range verdicts {
		if n := r.Counts[v]; n > 0 && v.fell() {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if r.Host.Left != "" {
		parts = append(parts, "something was left behind")
	}
	return strings.Join(parts, ", ")
}

func (row Row) language() string {
	if row.Profile != "" {
		return row.Profile
	}
	return string(row.Language)
}

func shorten(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
