package escape

import (
	"fmt"
	"slices"
	"strings"
)

// matrix is a report in the order of its page: a row for each technique, a
// column for each way to run it.
type matrix struct {
	*Report
	Title, Class string
	Columns      []column
	Families     []family
	Findings     []Row // all that is not good, first of all
	Verdicts     []Verdict
}

// column is one way to run a probe.
type column struct{ Policy, Start string }

func (c column) String() string {
	if c.Start == "" {
		return "policy " + c.Policy
	}
	return "policy " + c.Policy + ", " + c.Start + " start"
}

// family is a section of the threat model.
type family struct {
	ID, Title string
	Counts    map[Verdict]int
	Probes    []line
}

// line is one technique. Cells are in the order of the columns; nil where it is
// not meant to be run.
type line struct {
	Probe
	Class   string // of its worst verdict
	Control string
	Cells   []*Row
}

// Runs is what runs the probe: a language or a profile.
func (l line) Runs() string { return Row{Probe: l.Probe}.language() }

var familyTitles = map[string]string{
	"A": "Python's import policy", "B": "JavaScript's import policy",
	"C1": "Namespaces, mounts, change of root", "C2": "Descriptors, supervisor, identity",
	"C3": "Sockets and objects between processes", "C4": "New code, memory, the table of system calls",
	"C5": "Limits", "C6": "Result and collected files", "innocents": "Ordinary programs, which must work",
}

func (r *Report) matrix() *matrix {
	m := &matrix{Report: r, Verdicts: slices.DeleteFunc(slices.Clone(verdicts), func(v Verdict) bool { return r.Counts[v] == 0 })}
	m.Title, m.Class = r.headline()
	for _, row := range r.Rows {
		if c := (column{row.Policy, row.Start}); c.Start != "" && !slices.Contains(m.Columns, c) {
			m.Columns = append(m.Columns, c)
		}
	}
	for _, row := range r.Rows {
		if len(m.at(row)) == 0 { // nothing was started under this policy
			m.Columns = append(m.Columns, column{Policy: row.Policy})
		}
	}
	slices.SortStableFunc(m.Columns, func(a, b column) int { return -strings.Compare(a.Policy, b.Policy) })
	for _, row := range r.Rows {
		m.put(row)
		if row.Verdict.Bad() {
			m.Findings = append(m.Findings, row)
		}
	}
	return m
}

func (r *Report) headline() (title, class string) {
	unasked := r.Counts[NotAsked]
	switch {
	case slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.fell() && r.Counts[v] > 0 }) || r.Host.Left != "":
		return "✗ Not everything held", "bad"
	case !r.Held:
		return "? Nothing was found open; " + probesOf(r.Counts[Broken]), "broken"
	case unasked > 0:
		return fmt.Sprintf("○ Everything that was asked held; %d were not asked", unasked), "unasked"
	}
	return "✓ Everything held, and every control won", "good"
}

// at gives the columns that a row belongs in. One that never started belongs in
// all of its policy.
func (m *matrix) at(row Row) (at []int) {
	for i, c := range m.Columns {
		if c.Policy == row.Policy && (row.Start == "" || c.Start == row.Start) {
			at = append(at, i)
		}
	}
	return at
}

func (m *matrix) put(row Row) {
	f := slices.IndexFunc(m.Families, func(f family) bool { return f.ID == row.Family })
	if f < 0 {
		f = len(m.Families)
		m.Families = append(m.Families, family{ID: row.Family, Title: familyTitles[row.Family], Counts: make(map[Verdict]int)})
	}
	in := &m.Families[f]
	in.Counts[row.Verdict]++
	l := slices.IndexFunc(in.Probes, func(l line) bool { return l.Name == row.Name })
	if l < 0 {
		l = len(in.Probes)
		in.Probes = append(in.Probes, line{Probe: row.Probe, Class: "good", Cells: make([]*Row, len(m.Columns))})
	}
	of := &in.Probes[l]
	if row.Control != "" {
		of.Control = row.Control
	}
	worst := []string{"good", "unasked", "broken", "bad"}
	if c := row.Verdict.class(); slices.Index(worst, c) > slices.Index(worst, of.Class) {
		of.Class = c
	}
	for _, i := range m.at(row) {
		of.Cells[i] = &row
	}
}

// Ordered gives a family's counts in the order of Verdicts.
func (m *matrix) Ordered(f family) []int { return m.ordered(f.Counts) }

func (m *matrix) ordered(counts map[Verdict]int) (list []int) {
	for _, v := range m.Verdicts {
		list = append(list, counts[v])
	}
	return list
}

// Ways are the kinds of rows that the summary counts, one for each policy, start
// mode and language or profile.
func (m *matrix) Ways() (ways []way) {
	for _, row := range m.Rows {
		is := way{Column: column{row.Policy, row.Start}, Runs: row.language()}
		i := slices.IndexFunc(ways, func(w way) bool { return w.Column == is.Column && w.Runs == is.Runs })
		if i < 0 {
			i = len(ways)
			is.counts = make(map[Verdict]int)
			ways = append(ways, is)
		}
		ways[i].counts[row.Verdict]++
	}
	slices.SortFunc(ways, func(a, b way) int {
		return strings.Compare(a.Runs+"\x00"+a.Column.String(), b.Runs+"\x00"+b.Column.String())
	})
	for i := range ways {
		ways[i].Counts = m.ordered(ways[i].counts)
	}
	return ways
}

type way struct {
	Column column
	Runs   string
	Counts []int
	counts map[Verdict]int
}

// HostLine is one count of the host, before and after.
type HostLine struct {
	What          string
	Before, After string
}

// HostLines are what the host was compared by.
func (m *matrix) HostLines() (lines []HostLine) {
	after := m.Host.After.counts()
	for i, c := range m.Host.Before.counts() {
		lines = append(lines, HostLine{c.what, fmt.Sprint(c.n), fmt.Sprint(after[i].n)})
	}
	return append(lines, HostLine{"an innocent run, the best of a few", fmt.Sprintf("%.1f ms", m.Host.HelloBefore), fmt.Sprintf("%.1f ms", m.Host.HelloAfter)})
}
