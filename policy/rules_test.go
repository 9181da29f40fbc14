package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRulesEndAtTheCeiling(t *testing.T) {
	rt := Runtime{Profile: python, Version: "3.11.2"}
	for _, row := range []struct {
		name, ceiling, usual string
		levels               []string
	}{
		{"the profile's own ceiling", "", "strict", []string{"tiny", "strict", "standard", "relaxed"}},
		{"a ceiling in the middle", "standard", "strict", []string{"tiny", "strict", "standard"}},
		{"a ceiling below the default", "tiny", "tiny", []string{"tiny"}},
		{"a ceiling that the profile does not have", "lax", "", []string{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			names, usual := []string{}, ""
			for _, r := range rt.Rules(row.ceiling, LimitsRequest{}) {
				names = append(names, r.Name)
				if r.Default {
					usual = r.Name
				}
				assert.NotNil(t, r.Imports)
				assert.NotNil(t, r.BlockedNames)
				one, err := rt.RulesOf(r.Name, row.ceiling, LimitsRequest{})
				require.NoError(t, err)
				assert.Equal(t, r, one)
			}
			assert.Equal(t, row.levels, names)
			assert.Equal(t, row.usual, usual)
		})
	}
	_, err := rt.RulesOf("relaxed", "strict", LimitsRequest{})
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, CodeForbidden, e.Code)
}

func TestRulesHaveTheCallersOwnLimits(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	rt := Runtime{Profile: python, Version: "3.11.2"}
	for _, row := range []struct {
		name, says string
		ceilings   LimitsRequest
		want       LimitRange // of timeout_ms
	}{
		{"the profile's, of who has no ceiling", "5 s of time (30 s at most", LimitsRequest{}, python.Requestable.TimeoutMS},
		{"his ceiling is the maximum", "5 s of time (10 s at most", LimitsRequest{TimeoutMS: n(10000)}, LimitRange{python.Requestable.TimeoutMS.Min, 5000, 10000}},
		{"and the default, where that is above it", "1500 ms of time (1500 ms at most", LimitsRequest{TimeoutMS: n(1500)}, LimitRange{python.Requestable.TimeoutMS.Min, 1500, 1500}},
		{"one above the profile's maximum gives no more than that", "5 s of time (30 s at most", LimitsRequest{TimeoutMS: n(99999)}, python.Requestable.TimeoutMS},
		{"memory has its own", "64 MB of memory (64 at most)", LimitsRequest{MaxMemoryMB: n(64)}, python.Requestable.TimeoutMS},
		{"and so has output", "100 bytes together", LimitsRequest{MaxStdoutBytes: n(100)}, python.Requestable.TimeoutMS},
	} {
		t.Run(row.name, func(t *testing.T) {
			one, err := rt.RulesOf("strict", "", row.ceilings)
			require.NoError(t, err)
			assert.Equal(t, row.want, one.Limits.TimeoutMS)
			assert.Contains(t, one.Prompt(), row.says)
			for _, r := range rt.Rules("", row.ceilings) {
				assert.Equal(t, one.Limits, r.Limits)
			}
		})
	}
}

func TestAPromptSaysWhatTheLevelHas(t *testing.T) {
	node := python
	node.Language = JavaScript
	node.Levels = map[string]Level{"strict": {Imports: []string{"assert", "url"}, BlockedNames: []string{"eval"}}, "files": {Imports: []string{"fs", "workdir"}}, "helper": {Imports: []string{"workdir"}}, "none": {}}
	for _, row := range []struct {
		name, level string
		rt          Runtime
		has, hasNot []string
	}{
		{"lists imports and blocked names", "strict", Runtime{Profile: python, Version: "3.11.2"},
			[]string{"You write Python 3.11 programs", "Only these modules can be imported: json, random, xml.etree.ElementTree.", "Do not use open and getattr.", "no files", "5 s of time (30 s at most", "256 MB", "print(json.dumps(value))"},
			[]string{"written out", "read and written"}},
		{"says how constant names may be called", "standard", Runtime{Profile: python, Version: "3.11.2"},
			[]string{"getattr may only be called, and only with an attribute name that is written out"}, nil},
		{"says of an unrestricted level that there are files and no network", "relaxed", Runtime{Profile: python, Version: "3"},
			[]string{"You write Python 3 programs", "The standard library can be imported", "no network", "files can be read and written"}, []string{"Only these", "__globals__"}},
		{"speaks of Node", "strict", Runtime{Profile: node, Version: "v20.19.2"},
			[]string{"You write JavaScript for Node 20 programs", "Only these modules can be imported: assert, url.", "console.log(JSON.stringify(value))"}, []string{"Python"}},
		{"sees files by their module", "files", Runtime{Profile: node, Version: "20.19.2"}, []string{"files can be read and written"}, []string{"There are no files"}},
		{"names the calls of the helper", "helper", Runtime{Profile: node, Version: "20.19.2"}, []string{"with the module workdir", "readText(path)"}, []string{"There are no files", "read_text"}},
		{"says that nothing can be imported", "none", Runtime{Profile: node, Version: "20.19.2"}, []string{"Nothing can be imported."}, []string{"Only these"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.rt.Profile.Ceiling = row.level
			r, err := row.rt.RulesOf(row.level, "", LimitsRequest{})
			require.NoError(t, err)
			text := r.Prompt()
			assert.Equal(t, 1, strings.Count(text, "\n"), "one paragraph")
			for _, want := range row.has {
				assert.Contains(t, text, want)
			}
			for _, not := range row.hasNot {
				assert.NotContains(t, text, not)
			}
		})
	}
}
