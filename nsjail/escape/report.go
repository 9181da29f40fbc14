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
		lines = append(lines, fmt.Sprintf("%d not asked: %s", why[reason], reason))
	}
	return lines
}

// Summary is one line.
func (r *Report) Summary() string {
	var parts []string
	if r.Host.Left != "" {
		parts = append(parts, "LEFT BEHIND: "+r.Host.Left)
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
	fmt.Fprintln(t, "VERDICT\tSEV\tFAMILY\tTECHNIQUE\tLANGUAGE\tPOLICY\tEVIDENCE")
	for _, row := range r.Rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.Verdict, row.Severity, row.Family, row.Technique,
			row.language(), row.Policy, shorten(row.Evidence, 90))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", r.Summary())
	return err
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
