package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestARefusalTellsOfTheLevelThatAllows(t *testing.T) {
	profile := Profile{
		Name: "python", Language: Python, Level: "strict", Ceiling: "relaxed", Requestable: python.Requestable,
		Levels: map[string]Level{
			"strict":   {Imports: []string{"json"}, BlockedImports: []string{"sys"}, BlockedNames: []string{"eval", "getattr", "open"}},
			"standard": {Imports: []string{"json", "heapq", "sys"}, BlockedNames: []string{"open"}, ConstantNames: []string{"getattr"}},
			"wide":     {Imports: []string{"json", "heapq", "sys", "csv"}, BlockedNames: []string{"open"}, ConstantNames: []string{"getattr"}},
			"relaxed":  {Unrestricted: true},
		},
	}
	for _, row := range []struct {
		name, level, ceiling string
		deny                 []string
		rule, refused        string
		want                 string
	}{
		{"a module of the next level, and of one that is wider", "strict", "", nil, RuleImportNotAllowed, "heapq", "m; policy standard or wide allows it"},
		{"a module of the next level, for whom that is the widest", "strict", "standard", nil, RuleImportNotAllowed, "heapq", "m; policy standard allows it"},
		{"the narrowest that does", "strict", "", nil, RuleImportNotAllowed, "csv", "m; policy wide allows it"},
		{"a blocked module that another level lists", "strict", "", nil, RuleImportBlocked, "sys", "m; policy standard or wide allows it"},
		{"a module of no level but one without a policy", "strict", "", nil, RuleImportNotAllowed, "numpy", "m"},
		{"not of a level above the caller's ceiling", "strict", "strict", nil, RuleImportNotAllowed, "heapq", "m"},
		{"a name", "strict", "", nil, RuleNameBlocked, "eval", "m; policy standard or wide allows it"},
		{"a name with conditions", "strict", "", nil, RuleNameBlocked, "getattr", "m; policy standard or wide allows it with names that are written out"},
		{"a name that is blocked everywhere", "strict", "", nil, RuleNameBlocked, "open", "m"},
		{"a name on no list", "strict", "", nil, RuleNameBlocked, "__loader__", "m"},
		{"what the request denies", "standard", "", []string{"heapq"}, RuleImportBlocked, "heapq", "module heapq is denied by the request itself"},
		{"another rule", "strict", "", nil, "attribute_blocked", "heapq", "m"},
	} {
		t.Run(row.name, func(t *testing.T) {
			spec, err := Resolve(Request{Code: "1", Level: row.level, Ceiling: row.ceiling, Deny: row.deny}, profile)
			require.NoError(t, err)
			assert.Equal(t, row.want, profile.Explain(spec, Violation{Rule: row.rule, Name: row.refused, Message: "m"}).Message)
		})
	}
}

func TestARefusalOfNodeKnowsBothWaysToNameAModule(t *testing.T) {
	profile := Profile{
		Name: "javascript", Language: JavaScript, Level: "strict", Ceiling: "relaxed", Requestable: python.Requestable,
		Levels: map[string]Level{
			"strict":   {Imports: []string{"util"}},
			"standard": {Imports: []string{"util", "path", "stream/promises"}},
			"relaxed":  {Unrestricted: true},
		},
	}
	for _, row := range []struct {
		name, level   string
		deny          []string
		rule, refused string
		want          string
	}{
		{"by its name", "strict", nil, RuleImportNotAllowed, "path", "m; policy standard allows it"},
		{"with the scheme", "strict", nil, RuleImportNotAllowed, "node:path", "m; policy standard allows it"},
		{"one below another, with the scheme", "strict", nil, RuleImportNotAllowed, "node:stream/promises", "m; policy standard allows it"},
		{"of no level, with the scheme", "strict", nil, RuleImportNotAllowed, "node:fs", "m"},
		{"denied by the request, with the scheme", "standard", []string{"path"}, RuleImportBlocked, "node:path", "module node:path is denied by the request itself"},
	} {
		t.Run(row.name, func(t *testing.T) {
			spec, err := Resolve(Request{Code: "1", Level: row.level, Deny: row.deny}, profile)
			require.NoError(t, err)
			assert.Equal(t, row.want, profile.Explain(spec, Violation{Rule: row.rule, Name: row.refused, Message: "m"}).Message)
		})
	}
}
