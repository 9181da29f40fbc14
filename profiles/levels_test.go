package profiles

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"safe-exec/policy"
)

func TestBuiltInLevelsWiden(t *testing.T) {
	all, err := Default()
	require.NoError(t, err)
	for name, p := range WithPythonFull(all) {
		names := p.LevelNames()
		if name != PythonFull {
			require.Equal(t, []string{"strict", "standard", "relaxed"}, names, name)
		}
		for i := range names {
			for j := range names {
				assert.Equal(t, i <= j, p.Levels[names[i]].Within(p.Levels[names[j]]), "%s: %s within %s", name, names[i], names[j])
			}
		}
	}
}

// overlay gives the level "own" of a Python profile that YAML was laid over.
func overlay(t *testing.T, text string) (policy.Profile, error) {
	t.Helper()
	all, err := Default()
	require.NoError(t, err)
	var node yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &node))
	return Overlay(all["python"], *node.Content[0])
}

func TestALevelOfAnOperator(t *testing.T) {
	all, err := Default()
	require.NoError(t, err)
	strict := all["python"].Levels["strict"]
	for _, row := range []struct {
		name, text string
		check      func(t *testing.T, own policy.Level)
	}{
		{"has its own lists and no others", `levels: {own: {imports: [json], blocked_names: [open]}}`, func(t *testing.T, own policy.Level) {
			assert.Equal(t, policy.Level{Imports: []string{"json"}, BlockedNames: []string{"open"}}, own)
		}},
		{"is unrestricted", `levels: {own: {unrestricted: true}}`, func(t *testing.T, own policy.Level) {
			assert.Equal(t, policy.Level{Unrestricted: true}, own)
		}},
		{"extends a built-in one", `levels: {own: {extends: strict, add: {imports: [decimal]}, remove: {imports: [json]}}}`, func(t *testing.T, own policy.Level) {
			assert.Contains(t, own.Imports, "decimal")
			assert.NotContains(t, own.Imports, "json")
			assert.Len(t, own.Imports, len(strict.Imports))
			assert.Equal(t, strict.BlockedNames, own.BlockedNames)
		}},
		{"extends another one of the operator's, whatever their order", `levels: {own: {extends: z, add: {imports: [json]}}, z: {imports: [re]}}`, func(t *testing.T, own policy.Level) {
			assert.Equal(t, []string{"re", "json"}, own.Imports)
		}},
		{"extends the built-in one that the operator changed", `levels: {own: {extends: strict}, strict: {extends: strict, remove: {imports: [json]}}}`, func(t *testing.T, own policy.Level) {
			assert.NotContains(t, own.Imports, "json")
			assert.Len(t, own.Imports, len(strict.Imports)-1)
		}},
		{"moves a name from blocked to constant", `levels: {own: {extends: strict, remove: {blocked_names: [getattr]}, add: {constant_names: [getattr]}}}`, func(t *testing.T, own policy.Level) {
			assert.NotContains(t, own.BlockedNames, "getattr")
			assert.Equal(t, []string{"getattr"}, own.ConstantNames)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, err := overlay(t, row.text)
			require.NoError(t, err)
			row.check(t, p.Levels["own"])
			assert.Contains(t, p.Levels, "relaxed", "the others stay")
			again, err := Default()
			require.NoError(t, err)
			assert.Equal(t, all, again, "the built-in profile was written to")
		})
	}
}

func TestMistakesInALevel(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a level to start from that there is not", `levels: {own: {extends: lax}}`, `levels.own: extends: there is no level "lax"`},
		{"levels that extend one another", `levels: {a: {extends: b}, b: {extends: a}}`, "extends itself by way of others"},
		{"a new level that extends itself", `levels: {own: {extends: own}}`, `extends: there is no level "own"`},
		{"add without extends", `levels: {own: {add: {imports: [json]}}}`, "add and remove need extends"},
		{"extends beside lists", `levels: {own: {extends: strict, imports: [json]}}`, "has no lists of its own"},
		{"extends beside unrestricted", `levels: {own: {extends: strict, unrestricted: true}}`, "has no lists of its own"},
		{"extends of an unrestricted level", `levels: {own: {extends: relaxed}}`, "relaxed has no lists to add to"},
		{"removing what is not there", `levels: {own: {extends: strict, remove: {imports: [jsn]}}}`, "levels.own: imports: remove: jsn is not on the list"},
		{"adding what is there", `levels: {own: {extends: strict, add: {imports: [json]}}}`, "levels.own: imports: add: json is on the list already"},
		{"allowing what is blocked", `levels: {own: {extends: strict, add: {imports: [os]}}}`, "os is in imports and in blocked_imports"},
		{"blocking a name that may be called with constants", `levels: {own: {blocked_names: [getattr], constant_names: [getattr]}}`, "getattr is in blocked_names and in constant_names"},
		{"the same import twice", `levels: {own: {imports: [json, json]}}`, "json is there twice"},
		{"lists of an unrestricted level", `levels: {own: {unrestricted: true, imports: [json]}}`, "an unrestricted level has no lists"},
		{"two modules in one name", `levels: {own: {imports: ["json\nos"]}}`, "is not a name of that kind"},
		{"a line feed behind a name", `levels: {own: {blocked_names: ["open\n"]}}`, "is not a name of that kind"},
		{"an empty name", `levels: {own: {imports: [""]}}`, "is not a name of that kind"},
		{"a file for a module", `levels: {own: {imports: ["json.py/x"]}}`, "is not a name of that kind"},
		{"a name that no level can have", `levels: {"Own level": {imports: [json]}}`, "a level's name has small letters"},
		{"an unknown key of a level", `levels: {own: {import: [json]}}`, `line 1: unknown key "profiles.python.levels.own.import"`},
		{"an unknown key of what is added", `levels: {own: {extends: strict, add: {import: [json]}}}`, `line 1: unknown key "profiles.python.levels.own.add.import"`},
		{"a ceiling that there is not", `ceiling: lax`, `ceiling "lax" is not among levels`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := overlay(t, row.text)
			assert.ErrorContains(t, err, row.want)
		})
	}
}
