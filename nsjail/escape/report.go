package escape

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"safe-exec/policy"
)

// Report is the whole battery's answer.
type Report struct {
	Time    time.Time       `json:"time"`
	Version string          `json:"version"`
	Kernel  string          `json:"kernel"`
	Cgroup  string          `json:"cgroup"`
	Layers  []policy.Layer  `json:"layers"`
	Filters []Filter        `json:"filters"`
	Rows    []Row           `json:"rows"`
	Counts  map[Verdict]int `json:"counts"`
	// Left is what a parallel batch left on the host, "" if nothing.
	Left string `json:"left,omitempty"`
	Held bool   `json:"held"` // everything held, every control won, nothing was left
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
		r.Held = r.Held && row.Verdict.Good()
	}
}

// Leave records what a parallel batch left on the host.
func (r *Report) Leave(what string) {
	r.Left, r.Held = what, r.Held && what == ""
}

// Sort puts rows that came in any order in that of family, name and policy.
func (r *Report) Sort() {
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(a.Name, b.Name))
	})
}

// Summary is one line.
func (r *Report) Summary() string {
	var parts []string
	if r.Left != "" {
		parts = append(parts, "LEFT BEHIND: "+r.Left)
	}
	for _, v := range []Verdict{Escaped, Broken, Refused, Held, Killed, NotReached, Works} {
		if n := r.Counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

// JSON writes the report for machines.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

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
