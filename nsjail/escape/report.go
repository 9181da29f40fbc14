package escape

import (
	"encoding/json"
	"fmt"
	"io"
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
	Held    bool            `json:"held"` // everything held and every control won
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

// Summary is one line.
func (r *Report) Summary() string {
	var parts []string
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
