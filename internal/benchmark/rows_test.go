package benchmark

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample is a report with a value of every sort, some of which miss.
func sample(t *testing.T) *Report {
	t.Helper()
	text, err := os.ReadFile("testdata/report.json")
	require.NoError(t, err)
	var r Report
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&r))
	return &r
}

func TestEveryTargetHasItsRow(t *testing.T) {
	rows := map[string]Row{}
	for _, row := range sample(t).Rows() {
		assert.NotContains(t, rows, row.Figure, "a figure is named once")
		rows[row.Figure] = row
	}
	used := map[Target]bool{}
	for _, row := range []struct{ figure, target, verdict string }{
		{"Python hello p50", "at most 0.35", "met"},
		{"Python hello p99, of bare's p50", "at most 1.5", "met"},
		{"Node hello p50", "at most 0.15", "met"},
		{"Python hello with the imports of the standard level p50", "at most 0.12", "met"},
		{"Python hello, cold p50", "at most 1.4", "met"},
		{"Node hello, cold p50", "at most 1.15", "missed"},
		{"Python hello, 2 clients", "at least 2.5", "met"},
		{"Node hello, 2 clients", "at least 4", "missed"},
		{"Python nbody, 2 s, p50", "at most 1.02", "met"},
		{"Python json, 2 s, p50", "at most 1.02", "missed"},
		{"burst of 64, Python: answered", "at least 64", "met"},
		{"burst of 64, Node: answered", "at least 64", "missed"},
		{"burst of 64, Python: slowest, of as many in a row", "at most 1", "met"},
		{"burst of 64, Node: slowest, of as many in a row", "at most 1", "missed"},
		{"memory of a waiting fork spare, Python (mean of 4; 2.5 MB private)", "at most 4 MB", "met"},
		{"memory of a template, Python (mean of 1; 6.0 MB private)", "", ""},
		{"spares that wait, Node", "", ""},
		{"hello beside a flood of loops, of the same alone: p50", "", ""},
		{"hello beside a flood of loops, of the same alone: p99", "at most 3", "met"},
		{"hello beside a flood of short runs, of the same alone: p99", "at most 3", "missed"},
		{"memory with 500 Python programs asleep", "at most 3000 MB", "met"},
		{"hello p50 meanwhile, of the same before", "at most 1.1", "met"},
		{"20000 runs of Python: p50 of the last 1000, of the first", "at most 1.1", "met"},
		{"20000 runs of Python: memory of the daemon, of before", "at most 1.1", "missed"},
		{"20000 runs of Python: slab caches that grew (net_namespace)", "at most 0", "missed"},
		{"20000 runs of Python: descriptors more", "at most 0", "met"},
		{"20000 runs of Python: cgroups more", "at most 0", "missed"},
		{"20000 runs of Python: namespaces more", "at most 0", "met"},
	} {
		t.Run(row.figure, func(t *testing.T) {
			r, ok := rows[row.figure]
			require.True(t, ok)
			bound, verdict := r.told()
			assert.Equal(t, row.target, bound)
			assert.Equal(t, row.verdict, verdict)
			if r.Target != nil {
				used[*r.Target] = true
			}
		})
	}
	for name, one := range targets {
		assert.True(t, used[one] || name == "waiting javascript", "%s: no row has this target", name)
	}
}

// A target is met at its bound and missed just beyond it.
func TestVerdictsOfAnyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		bare, bound := 1+random.Float64()*100, random.Float64()*5
		for _, target := range []Target{{Bound: bound}, {Bound: bound, AtLeast: true}, {Bound: bound, OfValue: true}, {Bound: bound, AtLeast: true, OfValue: true}} {
			unit := bare
			if target.OfValue {
				unit = 1
			}
			for _, by := range []float64{-0.001, 0.001} {
				row := Row{Bare: bare, Ours: (bound + by) * unit, Target: &target}
				require.Equal(t, (by > 0) == target.AtLeast, row.Met(), "%+v", target)
			}
		}
	}
}

func TestAPeerHasNoTargets(t *testing.T) {
	rows := sample(t).PeerRows("bwrap")
	assert.Len(t, rows, 2*3+2)
	for _, row := range rows {
		assert.Nil(t, row.Target)
		assert.Equal(t, "bwrap", row.Way)
		assert.NotZero(t, row.Ratio())
	}
	assert.Empty(t, sample(t).PeerRows("nsjail"))
}

func TestTheTableSaysAll(t *testing.T) {
	var b bytes.Buffer
	sample(t).Print(&b)
	for _, want := range []string{
		"| figure | bare | safe-exec | ratio | target | verdict | started |",
		"| Python hello p50 | 8.00 ms | 2.40 ms | **0.300** | at most 0.35 | met | cold 3, fork 97 |",
		"| Node hello, cold p50 | 30.0 ms | 36.0 ms | **1.20** | at most 1.15 | missed | cold 100 |",
		"| figure | bare | bwrap | ratio | target | verdict | started |",
		"| Python hello, 2 clients | 235 runs/s | 110 runs/s | **0.468** |  |  |  |",
		"nsjail: not installed",
		"not measured: sleep: it needs Python",
		"burst of 64, Node: the first that was not run: busy: no slot became free in time",
		"Python hello, safe-exec: in the daemon 1.9 ms, of which the start 0.1 ms",
		"Linux 6.18, 2 processors",
	} {
		assert.Contains(t, b.String(), want)
	}
	for l := range strings.Lines(b.String()) {
		if strings.HasPrefix(l, "|") {
			assert.Equal(t, 8, strings.Count(l, "|"), "%s", l)
		}
	}
}

// Whoever reads the JSON looks its fields up in the document.
func TestEveryFieldIsDescribed(t *testing.T) {
	text, err := os.ReadFile("../../docs/benchmarks.md")
	require.NoError(t, err)
	for _, name := range fieldNames(reflect.TypeFor[Report]()) {
		assert.Contains(t, string(text), "`"+name+"`")
	}
}

func fieldNames(typ reflect.Type) (names []string) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return nil
	}
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(append(names, name), fieldNames(f.Type)...)
	}
	return names
}
