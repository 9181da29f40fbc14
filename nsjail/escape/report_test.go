package escape

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func sample() *Report {
	r := &Report{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Millis: 2000, Facts: Facts{
		Version: "1", Kernel: "6.1", Cgroup: "v2",
		Layers:  []policy.Layer{{Name: "seccomp", State: "enforced"}},
		Filters: []Filter{{Profile: "python", Interpreter: "3.11", Startup: "aa", Steady: "bb"}},
	}}
	b := Probe{Name: "c4_b", Technique: "b", Family: "C4", Severity: "C", Layers: []string{"seccomp"}, Language: policy.Python}
	a := Probe{Name: "c1_a", Technique: "a", Family: "C1", Severity: "H", Layers: []string{"landlock"}, Language: policy.JavaScript}
	r.Add(
		Row{Probe: b, Policy: "strict", Start: "cold", Verdict: Held, Evidence: "EPERM", Control: "won"},
		Row{Probe: a, Policy: "relaxed", Start: "cold", Verdict: Killed, Evidence: "memory_limit", Control: "won"},
	)
	r.Compare(Comparison{Before: Host{Mounts: 21, Keys: 2}, After: Host{Mounts: 21, Keys: 1}, HelloBefore: 17.9, HelloAfter: 20.9})
	return r
}

func TestReportHoldsOnlyIfEveryRowDoes(t *testing.T) {
	r := sample()
	assert.True(t, r.Held)
	assert.Equal(t, "1 held, 1 killed", r.Summary())
	for _, v := range []Verdict{Escaped, Passed, Broken, Refused} {
		bad := sample()
		bad.Add(Row{Verdict: v})
		bad.Add(Row{Verdict: Held})
		assert.False(t, bad.Held, v)
	}
	r.Compare(Comparison{Left: "processes 3 instead of 0"})
	assert.False(t, r.Held)
	assert.Contains(t, r.Summary(), "LEFT BEHIND: processes 3")
}

// What a daemon cannot be asked does not keep it from holding, and is said.
func TestWhatWasNotAskedIsCounted(t *testing.T) {
	r := sample()
	for range 2 {
		r.Add(Row{Verdict: NotAsked, Evidence: "no profile"})
	}
	r.Add(Row{Verdict: NotAsked, Evidence: "a limit"})
	assert.True(t, r.Held)
	assert.Equal(t, "3 not asked, 1 held, 1 killed", r.Summary())
	assert.Equal(t, []string{"1 not asked: a limit", "2 not asked: no profile"}, r.Unasked())
	title, class := r.headline()
	assert.Equal(t, "○ Everything that was asked held; 3 were not asked", title)
	assert.Equal(t, "unasked", class)
}

func TestReportIsSortedByFamily(t *testing.T) {
	r := sample()
	r.Sort()
	assert.Equal(t, "c1_a", r.Rows[0].Name)
}

func TestJSONRoundTrip(t *testing.T) {
	r := sample()
	r.Daemon = &Daemon{Socket: "/s", PID: 7}
	var first, second bytes.Buffer
	require.NoError(t, r.JSON(&first))
	var back Report
	d := json.NewDecoder(bytes.NewReader(first.Bytes()))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&back))
	assert.Equal(t, r, &back)
	require.NoError(t, back.JSON(&second))
	assert.Equal(t, first.String(), second.String())
}

func TestTextNamesEveryRow(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, sample().Text(&b))
	assert.Regexp(t, `(?m)^held +C +c4_b +b +python +strict +EPERM$`, b.String())
	assert.Regexp(t, `(?m)^1 held, 1 killed$`, b.String())
	assert.Contains(t, b.String(), "\n  killed: a limit or the filter ended it\neverything that was asked held\n")
}

func TestTextSaysWhatItsWordsMeanAndWhetherItIsAFailure(t *testing.T) {
	for _, v := range verdicts {
		r := sample()
		r.Add(Row{Verdict: v, Evidence: "e"})
		var b bytes.Buffer
		require.NoError(t, r.Text(&b))
		assert.Contains(t, b.String(), "\n  "+string(v)+": ")
		assert.NotContains(t, b.String(), ": \n", "every verdict has a meaning")
		assert.Equal(t, v.Bad() && v != Broken, strings.Contains(b.String(), "\nNOT EVERYTHING HELD: 1 "+string(v)+" (exit status 1)\n"), b.String())
	}
	r := sample()
	r.Compare(Comparison{Left: "processes 3 instead of 0"})
	var b bytes.Buffer
	require.NoError(t, r.Text(&b))
	assert.Contains(t, b.String(), "\nNOT EVERYTHING HELD: something was left behind (exit status 1)\n")
}

func TestTheEndNamesAgainWhatDidNotHoldApartFromWhatProvesNothing(t *testing.T) {
	bad := func(v Verdict, name, level, evidence string) Row {
		return Row{Probe: Probe{Name: name}, Policy: level, Verdict: v, Evidence: evidence}
	}
	for _, row := range []struct {
		name  string
		rows  []Row
		left  string
		end   []string
		title string
	}{
		{"all of it held", nil, "", []string{"everything that was asked held"}, "✓ Everything held, and every control won"},
		{"a hole", []Row{bad(Escaped, "c1_x", "strict", "got out")}, "",
			[]string{"NOT EVERYTHING HELD: 1 ESCAPED (exit status 1)", "  ESCAPED: c1_x (strict): got out"}, "✗ Not everything held"},
		{"no hole, and no proof", []Row{bad(Broken, "c2_y", "strict", "EACCES"), bad(Held, "c2_y", "standard", "EPERM"), bad(Broken, "c2_y", "relaxed", "EACCES")}, "",
			[]string{"nothing was found open, but not everything is proved (exit status 1)", "and 2 runs of probes prove nothing:", "  broken: c2_y (strict, relaxed): EACCES"},
			"? Nothing was found open; 2 runs of probes prove nothing"},
		{"both", []Row{bad(Broken, "c2_y", "strict", "EACCES"), bad(Refused, "innocent", "strict", "no")}, "",
			[]string{"NOT EVERYTHING HELD: 1 REFUSED (exit status 1)", "  REFUSED: innocent (strict): no", "and 1 run of a probe proves nothing:", "  broken: c2_y (strict): EACCES"},
			"✗ Not everything held"},
		{"something on the host", nil, "a mount",
			[]string{"NOT EVERYTHING HELD: something was left behind (exit status 1)", "left behind: a mount"}, "✗ Not everything held"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := sample()
			r.Add(row.rows...)
			r.Compare(Comparison{Left: row.left})
			var b bytes.Buffer
			require.NoError(t, r.Text(&b))
			assert.True(t, strings.HasSuffix(b.String(), "\n"+strings.Join(row.end, "\n")+"\n"), b.String())
			title, _ := r.headline()
			assert.Equal(t, row.title, title)
		})
	}
}

// A probe's name of an abstract socket begins with NUL, and what another prints is its
// own choice: columns are told apart by tabs, and it all goes to a terminal.
func TestNoControlCharacterReachesAReportForATerminal(t *testing.T) {
	const evil = "a\x00b\tc\vd\fe\x1b[2Jf\ng\rh\u009bi\u202ej\xffk"
	r := sample()
	for _, v := range verdicts {
		r.Add(Row{Probe: Probe{Name: evil, Technique: evil}, Policy: evil, Verdict: v, Evidence: evil})
	}
	r.Compare(Comparison{Left: evil})
	a := &Ablation{Probes: []Probe{{Name: "x", Technique: evil}}, Broken: []string{evil}}
	var b bytes.Buffer
	require.NoError(t, r.Text(&b))
	require.NoError(t, a.Text(&b))
	text := b.String() + strings.Join(r.Unasked(), "")
	assert.True(t, utf8.ValidString(text))
	assert.Contains(t, text, "a\ufffdb\ufffdc\ufffdd\ufffde\ufffd[2Jf\ufffdg\ufffdh\ufffdi\ufffdj\ufffdk")
	assert.Equal(t, -1, strings.IndexFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) && c != utf8.RuneError }))
}

// What a program printed is in the report, and a person opens it in a browser.
func TestHTMLIsOneSelfContainedPageThatRunsNothingOfAProbe(t *testing.T) {
	r := sample()
	r.Add(Row{
		Probe:   Probe{Name: "c6_x", Technique: `<img src=x onerror=alert(1)>`, Family: "C6", Severity: "H", Layers: []string{"x"}},
		Verdict: Escaped, Evidence: `</code><script>alert(2)</script>`, Control: `"><a href="javascript:alert(3)">`,
	})
	r.Add(Row{Probe: Probe{Name: "c4_b", Family: "C4", Language: policy.Python}, Policy: "relaxed", Verdict: NotAsked, Evidence: "no <profile>"})
	r.Daemon = &Daemon{Socket: "/<s>", PID: 7}
	r.Host.Left = "processes 3 instead of 0"
	var b bytes.Buffer
	require.NoError(t, r.HTML(&b))
	page := b.String()
	for _, outside := range []string{"http://", "https://", "<script", "<link", "<img", "<iframe", "@import", "url(", "javascript:alert(3)\">"} {
		assert.NotContains(t, page, outside)
	}
	assert.NotRegexp(t, `<[^>]*\ssrc=`, page)
	assert.NotRegexp(t, `<[^>]*\shref="?[^"#]`, page, "links lead to this page alone")
	for _, inside := range []string{
		"&lt;img src=x onerror=alert(1)&gt;", "&lt;script&gt;alert(2)", "✗ ESCAPED", "✓ held", "✗ Not everything held",
		"LEFT BEHIND: processes 3 instead of 0", "<code>aa</code>", "/&lt;s&gt;", "○ not asked", "no &lt;profile&gt;",
		"What did not hold, or proves nothing", "policy strict, cold start", "<td>mounts<td class=\"n\">21<td class=\"n\">21", "20.9 ms",
	} {
		assert.Contains(t, page, inside)
	}
}

// The page has a row for each technique and a cell for each way to run it.
func TestTheMatrixPutsEveryRowInItsCell(t *testing.T) {
	p := Probe{Name: "c4_b", Technique: "b", Family: "C4", Severity: "C", Language: policy.Python}
	for _, row := range []struct {
		name    string
		rows    []Row
		columns []column
		cells   []Verdict // of the one technique, "" for none
		class   string
	}{
		{"both policies", []Row{{Policy: "relaxed", Start: "cold", Verdict: Held}, {Policy: "strict", Start: "cold", Verdict: NotReached}},
			[]column{{"strict", "cold"}, {"relaxed", "cold"}}, []Verdict{NotReached, Held}, "good"},
		{"two ways to start", []Row{{Policy: "relaxed", Start: "cold", Verdict: Held}, {Policy: "relaxed", Start: "warm", Verdict: Escaped}},
			[]column{{"relaxed", "cold"}, {"relaxed", "warm"}}, []Verdict{Held, Escaped}, "bad"},
		{"one that never started, in all of its policy", []Row{{Policy: "relaxed", Start: "cold", Verdict: Held}, {Policy: "strict", Verdict: NotAsked}},
			[]column{{"strict", ""}, {"relaxed", "cold"}}, []Verdict{NotAsked, Held}, "unasked"},
		{"the worst of all decides", []Row{{Policy: "relaxed", Start: "cold", Verdict: Broken}, {Policy: "strict", Start: "cold", Verdict: Held}},
			[]column{{"strict", "cold"}, {"relaxed", "cold"}}, []Verdict{Held, Broken}, "broken"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := &Report{}
			for _, one := range row.rows {
				one.Probe = p
				r.Add(one)
			}
			m := r.matrix()
			require.Equal(t, row.columns, m.Columns)
			require.Len(t, m.Families, 1)
			require.Len(t, m.Families[0].Probes, 1)
			line := m.Families[0].Probes[0]
			var cells []Verdict
			for _, c := range line.Cells {
				require.NotNil(t, c)
				cells = append(cells, c.Verdict)
			}
			assert.Equal(t, row.cells, cells)
			assert.Equal(t, row.class, line.Class)
			total := 0
			for _, w := range m.Ways() {
				for _, n := range w.Counts {
					total += n
				}
			}
			assert.Equal(t, len(row.rows), total, "the summary counts every row once")
		})
	}
}

func TestEveryFamilyHasATitle(t *testing.T) {
	probes, err := Probes()
	require.NoError(t, err)
	for _, p := range probes {
		assert.NotEmpty(t, familyTitles[p.Family], p.Name)
	}
}

func TestTheAblationIsOnePageAndOneDocument(t *testing.T) {
	a := &Ablation{
		Layers: []string{"seccomp", "landlock"}, Broken: []string{"c1_x without landlock: <b>"},
		Probes: []Probe{
			{Name: "c1_a", Technique: "<i>", Family: "C1", Severity: "C"}, {Name: "c1_b", Technique: "two", Family: "C1", Severity: "C"},
		},
		Only: map[string][]string{"c1_a": {"seccomp"}},
	}
	var html, text bytes.Buffer
	require.NoError(t, a.HTML(&html))
	for _, want := range []string{"&lt;i&gt;", "&lt;b&gt;", ">2+<", ">1<", "One layer alone stops, of severity C: 1"} {
		assert.Contains(t, html.String(), want)
	}
	assert.NotContains(t, html.String(), "<script")
	require.NoError(t, a.JSON(&text))
	var back struct {
		Layers, Critical []string
		Techniques       []struct {
			Name    string
			Without []string `json:"escapes_without"`
		}
		NotAsked []string `json:"not_asked"`
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &back))
	assert.Equal(t, a.Layers, back.Layers)
	assert.Equal(t, []string{"c1_a"}, back.Critical)
	assert.Equal(t, a.Broken, back.NotAsked)
	require.Len(t, back.Techniques, 2)
	assert.Equal(t, []string{"seccomp"}, back.Techniques[0].Without)
	assert.Equal(t, []string{}, back.Techniques[1].Without)
}
