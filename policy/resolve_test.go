package policy

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var python = Profile{
	Name: "python", Language: Python, Level: "strict", Ceiling: "relaxed",
	Requestable: LimitRanges{
		TimeoutMS: LimitRange{1, 5000, 30000}, MaxMemoryMB: LimitRange{32, 256, 1024},
		MaxStdoutBytes: LimitRange{1, 65536, 1 << 20}, MaxStderrBytes: LimitRange{1, 8192, 65536},
	},
	Levels: map[string]Level{
		"tiny":     {Imports: []string{"json"}, BlockedNames: []string{"open", "getattr", "print"}},
		"strict":   {Imports: []string{"json", "random", "xml.etree.ElementTree"}, BlockedImports: []string{"os"}, BlockedNames: []string{"open", "getattr"}},
		"standard": {Imports: []string{"json", "random", "xml.etree.ElementTree", "decimal"}, BlockedImports: []string{"os"}, BlockedNames: []string{"open"}, ConstantNames: []string{"getattr"}},
		"relaxed":  {Unrestricted: true},
	},
}

func TestLevelsThatARequestGets(t *testing.T) {
	for _, row := range []struct {
		name          string
		req           Request
		level         string
		imports, deny []string
	}{
		{"who names no level gets the default", Request{}, "strict", []string{"json", "random", "xml.etree.ElementTree"}, nil},
		{"who names one gets it", Request{Level: "standard"}, "standard", []string{"json", "random", "xml.etree.ElementTree", "decimal"}, nil},
		{"the ceiling itself may be asked for", Request{Level: "standard", Ceiling: "standard"}, "standard", []string{"json", "random", "xml.etree.ElementTree", "decimal"}, nil},
		{"a narrower level than the ceiling may be asked for", Request{Level: "tiny", Ceiling: "strict"}, "tiny", []string{"json"}, nil},
		{"who has a ceiling below the default and names no level gets the ceiling", Request{Ceiling: "tiny"}, "tiny", []string{"json"}, nil},
		{"a denied module goes", Request{Deny: []string{"random"}}, "strict", []string{"json", "xml.etree.ElementTree"}, []string{"random"}},
		{"with a module goes what is below it", Request{Deny: []string{"xml"}}, "strict", []string{"json", "random"}, []string{"xml"}},
		{"a name that only begins alike stays", Request{Deny: []string{"xml.etree.ElementTree.x", "os"}}, "strict", []string{"json", "random", "xml.etree.ElementTree"}, []string{"xml.etree.ElementTree.x", "os"}},
		{"what only a wider level lists may be denied", Request{Deny: []string{"decimal"}}, "strict", []string{"json", "random", "xml.etree.ElementTree"}, []string{"decimal"}},
		{"a module that is denied twice is denied", Request{Deny: []string{"json", "json"}}, "strict", []string{"random", "xml.etree.ElementTree"}, []string{"json"}},
		{"a level without lists is what it is", Request{Level: "relaxed"}, "relaxed", nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := slices.Clone(python.Levels["strict"].Imports)
			row.req.Code = "x"
			spec, err := Resolve(row.req, python)
			require.NoError(t, err)
			assert.Equal(t, row.level, spec.LevelName)
			assert.Equal(t, row.imports, spec.Level.Imports)
			assert.Equal(t, row.deny, spec.Deny)
			for _, module := range row.deny {
				assert.Contains(t, spec.Level.BlockedImports, module)
			}
			assert.Equal(t, before, python.Levels["strict"].Imports, "the profile was written to")
		})
	}
}

func TestJavaScriptModulesAreDeniedByEitherName(t *testing.T) {
	p := python
	p.Language = JavaScript
	p.Levels = map[string]Level{"strict": {Imports: []string{"assert", "assert/strict", "url"}}}
	p.Ceiling = "strict"
	spec, err := Resolve(Request{Code: "x", Deny: []string{"node:assert"}}, p)
	require.NoError(t, err)
	assert.Equal(t, []string{"url"}, spec.Level.Imports)
	assert.Equal(t, []string{"assert"}, spec.Deny)
}

func TestLevelsThatARequestIsRefused(t *testing.T) {
	for _, row := range []struct {
		name   string
		req    Request
		code   Code
		field  string
		saying string
	}{
		{"a level that there is not", Request{Level: "lax"}, CodeInvalid, "policy", `unknown policy "lax"; this profile has tiny, strict, standard, relaxed`},
		{"the list of levels ends at the ceiling", Request{Level: "lax", Ceiling: "strict"}, CodeInvalid, "policy", "this profile has tiny, strict"},
		{"a level above the ceiling", Request{Level: "standard", Ceiling: "strict"}, CodeForbidden, "policy", `policy "standard" allows more than "strict", the widest that this caller may ask for`},
		{"an unrestricted level above a restricted ceiling", Request{Level: "relaxed", Ceiling: "standard"}, CodeForbidden, "policy", "allows more"},
		{"a wider level whose surplus is denied", Request{Level: "standard", Ceiling: "strict", Deny: []string{"decimal"}}, CodeForbidden, "policy", "allows more"},
		{"a ceiling that the profile does not have", Request{Ceiling: "lax"}, CodeForbidden, "policy", `at most, and profile python has none of that name`},
		{"denying what nobody lists", Request{Deny: []string{"json", "randon"}}, CodeInvalid, "policy.deny[1]", `no policy of profile python lists a module "randon"`},
		{"denying what is no name", Request{Deny: []string{"json\nos"}}, CodeInvalid, "policy.deny[0]", "is not the name of a module"},
		{"denying nothing by name", Request{Deny: []string{""}}, CodeInvalid, "policy.deny[0]", "is not the name of a module"},
		{"denying what is below a module, in a name without end", Request{Deny: []string{"json." + strings.Repeat("x", MaxModuleBytes)}}, CodeInvalid, "policy.deny[0]", "of 64 bytes at most"},
		{"denying at a level without lists", Request{Level: "relaxed", Deny: []string{"json"}}, CodeInvalid, "policy.deny", "has no list of imports to deny from"},
		{"denying too much", Request{Deny: slices.Repeat([]string{"json"}, MaxDeny+1)}, CodeTooLarge, "policy.deny", "has 101 names, the maximum is 100"},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.req.Code = "x"
			_, err := Resolve(row.req, python)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, row.code, e.Code)
			assert.Equal(t, row.field, e.Field)
			assert.Contains(t, e.Message, row.saying)
		})
	}
}

// freedom is what a level gives one name, asked of its lists alone: the oracle
// of the test below shares no code with Within.
func freedom(l Level, name string, module bool) int {
	has := func(list []string) bool { return slices.Contains(list, name) }
	switch {
	case l.Unrestricted:
		return 2
	case module && (!has(l.Imports) || has(l.BlockedImports)), !module && has(l.BlockedNames):
		return 0
	case !module && has(l.ConstantNames):
		return 1
	}
	return 2
}

// Whatever levels an operator makes and whatever a caller asks for, no name is
// freer than under the caller's ceiling.
func TestNoRequestGetsMoreThanItsCeiling(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	modules := []string{"a", "a.b", "a.b.c", "b", "b.c", "c"}
	names := []string{"getattr", "open", "eval"}
	some := func(of []string) []string {
		return slices.DeleteFunc(slices.Clone(of), func(string) bool { return r.IntN(2) == 0 })
	}
	resolved, narrowed := 0, 0
	for range 20000 {
		p := python
		p.Levels = map[string]Level{}
		all := []string{"l0", "l1", "l2", "l3"}
		for _, name := range all {
			if r.IntN(5) == 0 {
				p.Levels[name] = Level{Unrestricted: true}
				continue
			}
			p.Levels[name] = Level{Imports: some(modules), BlockedImports: some(modules), BlockedNames: some(names), ConstantNames: some(names)}
		}
		any := func(more ...string) string { return slices.Concat(all, more)[r.IntN(len(all)+len(more))] }
		p.Level, p.Ceiling = any(), any()
		req := Request{Code: "x", Level: any("", "none"), Ceiling: any("", "none")}
		if r.IntN(2) == 0 {
			req.Deny = some(modules)
		}
		spec, err := Resolve(req, p)
		if err != nil {
			continue
		}
		resolved++
		if len(spec.Deny) > 0 {
			narrowed++
		}
		ceiling := p.Levels[p.Ceiling]
		if req.Ceiling != "" {
			ceiling = p.Levels[req.Ceiling]
		}
		require.True(t, ceiling.Unrestricted || !spec.Level.Unrestricted)
		for _, name := range modules {
			require.LessOrEqual(t, freedom(spec.Level, name, true), freedom(ceiling, name, true), "module %s of %+v under %+v", name, spec.Level, ceiling)
			for _, denied := range spec.Deny {
				if name == denied || strings.HasPrefix(name, denied+".") {
					require.Zero(t, freedom(spec.Level, name, true), "%s is denied", name)
				}
			}
		}
		for _, name := range names {
			require.LessOrEqual(t, freedom(spec.Level, name, false), freedom(ceiling, name, false), "name %s of %+v under %+v", name, spec.Level, ceiling)
		}
	}
	assert.Greater(t, resolved, 2000)
	assert.Greater(t, narrowed, 300)
}

func FuzzDeny(f *testing.F) {
	f.Add("json", "strict", "standard")
	f.Add("xml.etree\n", "", "tiny")
	f.Fuzz(func(t *testing.T, module, level, ceiling string) {
		spec, err := Resolve(Request{Code: "x", Level: level, Ceiling: ceiling, Deny: []string{module, "json"}}, python)
		if err != nil {
			return
		}
		assert.True(t, spec.Level.Within(python.Levels[spec.LevelName]))
		assert.NotContains(t, spec.Level.Imports, "json")
		for _, name := range slices.Concat(spec.Level.Imports, spec.Level.BlockedImports) {
			assert.NotContains(t, name, "\n", "a list travels as lines")
		}
	})
}
