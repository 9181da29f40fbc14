package escape

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func sample() *Report {
	r := &Report{
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Version: "1", Kernel: "6.1", Cgroup: "v2",
		Layers:  []policy.Layer{{Name: "seccomp", State: "enforced"}},
		Filters: []Filter{{Profile: "python", Interpreter: "3.11", Startup: "aa", Steady: "bb"}},
	}
	r.Add(
		Row{Probe: Probe{Name: "c4_b", Technique: "b", Family: "C4", Severity: "C", Layers: []string{"seccomp"}, Language: policy.Python}, Policy: "strict", Verdict: Held, Evidence: "EPERM", Control: "won"},
		Row{Probe: Probe{Name: "c1_a", Technique: "a", Family: "C1", Severity: "H", Layers: []string{"landlock"}, Language: policy.JavaScript}, Policy: "relaxed", Verdict: Killed, Evidence: "memory_limit", Control: "won"},
	)
	return r
}

func TestReportHoldsOnlyIfEveryRowDoes(t *testing.T) {
	r := sample()
	assert.True(t, r.Held)
	assert.Equal(t, "1 held, 1 killed", r.Summary())
	for _, v := range []Verdict{Escaped, Broken, Refused} {
		bad := sample()
		bad.Add(Row{Verdict: v})
		bad.Add(Row{Verdict: Held})
		assert.False(t, bad.Held, v)
	}
	r.Leave("")
	assert.True(t, r.Held)
	r.Leave("processes 3 instead of 0")
	assert.False(t, r.Held)
	assert.Contains(t, r.Summary(), "LEFT BEHIND: processes 3")
}

func TestReportIsSortedByFamily(t *testing.T) {
	r := sample()
	r.Sort()
	assert.Equal(t, "c1_a", r.Rows[0].Name)
}

func TestJSONRoundTrip(t *testing.T) {
	r := sample()
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
	assert.Regexp(t, `(?m)^held +C +C4 +b +python +strict +EPERM$`, b.String())
	assert.Regexp(t, `(?m)^1 held, 1 killed$`, b.String())
}

// What a program printed is in the report, and a person opens it in a browser.
func TestHTMLIsOneSelfContainedPageThatRunsNothingOfAProbe(t *testing.T) {
	r := sample()
	r.Add(Row{
		Probe:   Probe{Name: "c6_x", Technique: `<img src=x onerror=alert(1)>`, Family: "C6", Severity: "H", Layers: []string{"x"}},
		Verdict: Escaped, Evidence: `</code><script>alert(2)</script>`, Control: `"><a href="javascript:alert(3)">`,
	})
	r.Leave("processes 3 instead of 0")
	var b bytes.Buffer
	require.NoError(t, r.HTML(&b))
	page := b.String()
	for _, outside := range []string{"http://", "https://", "<script", "<link", "<img", "<iframe", "@import", "url(", "javascript:alert(3)\">"} {
		assert.NotContains(t, page, outside)
	}
	assert.NotRegexp(t, `<[^>]*\ssrc=`, page)
	assert.NotRegexp(t, `<[^>]*\shref=`, page)
	for _, inside := range []string{
		"&lt;img src=x onerror=alert(1)&gt;", "&lt;script&gt;alert(2)", "✗ ESCAPED", "✓ held", "not everything held",
		"LEFT BEHIND: processes 3 instead of 0", "<code>aa</code>",
	} {
		assert.Contains(t, page, inside)
	}
}
