package regrtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	const end = "\x01end\n"
	for _, row := range []struct {
		name, text string
		want       Table // nil: refused
	}{
		{"an outcome", "\x01a.b\tok\t\n" + end, Table{"a.b": {"ok", ""}}},
		{"an outcome with its reason", "\x01a.b\tFAIL\tValueError: x\n" + end, Table{"a.b": {"FAIL", "ValueError: x"}}},
		{"noise before an outcome, without an end of line", "noise\x01a.b\tok\t\n" + end, Table{"a.b": {"ok", ""}}},
		{"noise between", "\x01a\tok\t\nnoise\tok\t\n" + end, Table{"a": {"ok", ""}}},
		{"a run that was cut short", "\x01a.b\tok\t\n", nil},
		{"no run at all", "", nil},
		{"a line that is no outcome", "\x01a.b\n" + end, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := Parse(row.text)
			if row.want == nil {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, row.want, got)
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("\x01a.b\tok\t\n\x01end\n")
	f.Fuzz(func(t *testing.T, text string) {
		if table, err := Parse(text); err == nil {
			assert.LessOrEqual(t, len(table), strings.Count(text, mark))
		}
	})
}

func TestCompare(t *testing.T) {
	ok, failed := Outcome{"ok", ""}, Outcome{"FAIL", "x"}
	listed := map[string]bool{"a": true}
	for _, row := range []struct {
		name       string
		bare, jail Outcome
		test       string
		want       string
	}{
		{"the same outcome is none", ok, ok, "b", ""},
		{"the same failure is none", failed, failed, "b", ""},
		{"another reason for the same outcome is none", Outcome{"skipped", "x"}, Outcome{"skipped", "y"}, "b", ""},
		{"a test that fails inside", ok, failed, "b", "b: bare ok, jail FAIL (x)"},
		{"a test that fails outside only", failed, ok, "b", "b: bare FAIL (x), jail ok"},
		{"a test that is skipped inside only", ok, Outcome{"skipped", "y"}, "b", "b: bare ok, jail skipped (y)"},
		{"a test that does not run inside", ok, Outcome{}, "b", "b: bare ok, jail missing"},
		{"a test that does not run outside", Outcome{}, ok, "b", "b: bare missing, jail ok"},
		{"a test that is listed", ok, failed, "a", "a: bare ok, jail FAIL (x), listed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			table := func(o Outcome) Table {
				if o == (Outcome{}) {
					return Table{}
				}
				return Table{row.test: o}
			}
			got := ""
			for _, d := range Compare(table(row.bare), table(row.jail), listed) {
				got += d.String()
				if d.Listed {
					got += ", listed"
				}
			}
			assert.Equal(t, row.want, got)
		})
	}
}

func TestTheListSaysWhyATestMayDiffer(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a name without a reason", "a.b\n", "line 1: want the name of a test, # and a reason"},
		{"a reason that is empty", "# all\na.b #\n", "line 2: want the name of a test, # and a reason"},
		{"two names", "a.b c.d # x\n", "line 1: want the name of a test, # and a reason"},
		{"a name twice", "a.b # x\na.b # y\n", "line 2: a.b stands twice"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := ReadListed(strings.NewReader(row.text))
			assert.EqualError(t, err, row.want)
		})
	}
	listed, err := Listed()
	require.NoError(t, err)
	assert.NotEmpty(t, listed)
	assert.LessOrEqual(t, len(listed), 40, "these are the tests that start a child process, and no others")
}

func TestAListedTestThatNoLongerDiffersIsNoted(t *testing.T) {
	row := Row{Differences: []Difference{{Test: "test.test_json.b"}}}
	listed := map[string]bool{"test.test_json.a": true, "test.test_json.b": true, "test.test_re.c": true}
	assert.Equal(t, []string{"test.test_json.a"}, row.Idle(listed, []string{"test_json"}))
}
