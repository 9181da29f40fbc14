package strictyaml

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

type limits struct {
	Time *int64 `yaml:"time"`
}

// shared is unexported and embedded, as in the configuration.
type shared struct {
	Rate   *int   `yaml:"rate"`
	Limits limits `yaml:"limits"`
}

type caller struct {
	UID    *uint32 `yaml:"uid"`
	Name   string  `yaml:"name"`
	shared `yaml:",inline"`
}

type sample struct {
	Runs    int               `yaml:"runs"`
	On      bool              `yaml:"on"`
	Keep    time.Duration     `yaml:"keep"`
	Word    string            `yaml:"word"`
	Names   []string          `yaml:"names"`
	Callers []caller          `yaml:"callers"`
	Levels  map[string]caller `yaml:"levels"`
	Rest    yaml.Node         `yaml:"rest"`
	Hidden  int               `yaml:"-"`
	Untold  int
}

const whole = "it must be a whole number that fits 64 bits"

func TestWhatIsRefused(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a fraction", "runs: 1.5", `line 1: runs is "1.5", ` + whole},
		{"a fraction in quotes", "runs: '1.5'", `line 1: runs is "1.5", ` + whole},
		{"a fraction with a tag that denies it", "runs: !!int 1.5", `line 1: runs has the tag "!!int"`},
		{"a fraction behind an alias", "word: &f 1.5\nruns: *f", `line 2: runs is "1.5", ` + whole},
		{"a fraction for a pointer", "callers:\n- uid: 1\n- rate: 1.5", `line 3: callers[1].rate is "1.5", ` + whole},
		{"a whole number written as a fraction", "runs: 3.0", `line 1: runs is "3.0", ` + whole},
		{"an exponent", "runs: 1e3", `line 1: runs is "1e3", ` + whole},
		{"a whole number in quotes", "runs: '3'", `line 1: runs is "3", ` + whole},
		{"infinity", "runs: .inf", `line 1: runs is ".inf", ` + whole},
		{"not a number at all", "runs: .nan", `line 1: runs is ".nan", ` + whole},
		{"a number of base 60", "runs: 1:30", `line 1: runs is "1:30", ` + whole},
		{"a date for a number", "runs: 2001-01-01", `line 1: runs is "2001-01-01", ` + whole},
		{"true for a number", "runs: true", `line 1: runs is "true", ` + whole},
		{"a number of 65 bits", "runs: 9223372036854775808", `line 1: runs is "9223372036854775808", ` + whole},
		{"a number of more digits than any", "runs: 99999999999999999999999", `line 1: runs is "99999999999999999999999", ` + whole},
		{"a number below all", "runs: -9223372036854775809", `line 1: runs is "-9223372036854775809", ` + whole},
		{"a uid below zero", "callers: [{uid: -1}]", `line 1: callers[0].uid is "-1", it must be a whole number from 0 to 4294967295`},
		{"a uid above all", "callers: [{uid: 4294967296}]", `line 1: callers[0].uid is "4294967296", it must be a whole number from 0 to 4294967295`},
		{"half a uid", "callers: [{uid: 0.5}]", `line 1: callers[0].uid is "0.5", it must be a whole number from 0 to 4294967295`},
		{"yes for true", "on: yes", `line 1: on is "yes", it must be true or false`},
		{"on for true", "on: on", `line 1: on is "on", it must be true or false`},
		{"1 for true", "on: 1", `line 1: on is "1", it must be true or false`},
		{"true in quotes", "on: 'true'", `line 1: on is "true", it must be true or false`},
		{"a duration without a unit", "keep: 600", `line 1: keep is "600", it must be a duration with its unit, such as 10m`},
		{"a duration of zero without a unit", "keep: 0", `line 1: keep is "0", it must be a duration with its unit, such as 10m`},
		{"a word for a duration", "keep: soon", `line 1: keep is "soon", it must be a duration with its unit, such as 10m`},
		{"a long word", "keep: " + strings.Repeat("x", 61), `line 1: keep is "` + strings.Repeat("x", 60) + `", it must be a duration`},
		{"an unknown key", "runs: 3\nrun: 3", `line 2: unknown key "run"`},
		{"an unknown key far down", "callers:\n- uid: 1\n- limits:\n    tim: 1", `line 4: unknown key "callers[1].limits.tim"`},
		{"an unknown key of a map's values", "levels: {a: {x: 1}}", `line 1: unknown key "levels.a.x"`},
		{"an unknown key behind an alias", "levels: {a: &a {name: b}}\ncallers: [{limits: *a}]", `line 1: unknown key "callers[0].limits.name"`},
		{"an unknown key that is merged", "rest: &x {q: 1}\ncallers: [{<<: *x}]", `line 1: unknown key "callers[0].<<.q"`},
		{"a key in capitals", "Runs: 3", `unknown key "Runs"`},
		{"an alias whose name looks like a key", "word: &runs x\n*runs : 3", `unknown key "x"`},
		{"a field that has no key", "'-': 3", `unknown key "-"`},
		{"a field without a tag", "untold: 3", `unknown key "untold"`},
		{"an empty key", "'': 3", `unknown key ""`},
		{"the name of an embedded struct", "callers: [{shared: {rate: 1}}]", `unknown key "callers[0].shared"`},
		{"the tag of an embedded struct", "callers: [{',inline': {rate: 1}}]", `unknown key "callers[0].,inline"`},
		{"a number for a key", "1: 3", `unknown key "1"`},
		{"null for a key", "~: 3", `unknown key "~"`},
		{"a list for a key", "[runs]: 3", `unknown key ""`},
		{"a key twice", "runs: 3\nword: x\nruns: 3", "line 3: runs is a duplicate of the key on line 1"},
		{"a key twice far down", "callers: [{uid: 1,\n uid: 1}]", "line 2: callers[0].uid is a duplicate of the key on line 1"},
		{"a list for a mapping", "callers:\n- [1]", "line 2: callers[0] must be a mapping"},
		{"a word for a mapping", "callers: [{limits: x}]", "line 1: callers[0].limits must be a mapping"},
		{"a mapping for a list", "names:\n  x: 1", "line 1: names must be a list"},
		{"a word for a list", "names: x", "line 1: names must be a list"},
		{"a list for a number", "runs: [1]", "line 1: runs must be a whole number that fits 64 bits, not a list or a mapping"},
		{"a mapping for a word", "word: {a: 1}", "line 1: word must be a single value, not a list or a mapping"},
		{"a document that is a word", "\nruns", "line 2: the document must be a mapping"},
		{"a document that is a list", "- runs: 3", "line 1: the document must be a mapping"},
		{"a list that holds itself", "callers: &a [*a]", "line 1: callers[0] must be a mapping"},
		{"a mapping that merges itself", "callers: [&a {<<: *a}]", "the document has a key whose path is longer than 500 bytes"},
		{"aliases of more than is read", "levels: {a: &a {uid: 1, name: x, rate: 1, limits: {time: 1}}}\ncallers: [" + strings.Repeat("*a, ", 20000) + "]", "the document has more than 100000 keys"},
		{"a name longer than any", "levels: {" + strings.Repeat("x", 500) + ": {}}", "longer than 500 bytes"},
		{"a null that is a mapping", "callers: !!null {time: 1.5, nope: 1}", `line 1: callers has the tag "!!null"; write the value without a tag`},
		{"a null that is a whole document", "!!null {runs: 1.9}", `line 1: the document has the tag "!!null"`},
		{"a null in full", "callers: !<tag:yaml.org,2002:null> [{uid: x}]", `line 1: callers has the tag`},
		{"a key that is said to be a merge", "!!merge runz: {runs: 0}", `line 1: runz has the tag "!!merge"`},
		{"a number that is said to be one", "runs: !!int '3'", `line 1: runs has the tag "!!int"`},
		{"a tag behind an alias", "word: &a !!str 3\nnames: [*a]", `line 1: word has the tag "!!str"`},
		{"a merge of nothing", "callers:\n- <<: ~", "line 2: callers[0].<< must be a mapping or a list of mappings"},
		{"a wrong value that is merged", "callers:\n- uid: 1\n  <<:\n    uid: x", `line 4: callers[0].<<.uid is "x"`},
		{"an empty key", "runs: 3\n'': 3", `line 2: unknown key ""`},
		{"a list for a key", "runs: 3\n? [a]\n: 1", `line 2: unknown key ""`},
		{"a duplicate by an alias", "word: &k runs\nruns: 3\n*k : 4", "line 3: runs is a duplicate of the key on line 2"},
		{"brackets that do not close", "runs: 3\ncallers: [\nruns: 4", "not YAML, at line 1 or after it: "},
		{"an alias of nothing", "callers: *x", "unknown anchor 'x' referenced"},
		{"a second document", "runs: 3\n---\nruns: 4", "the text must hold exactly one YAML document"},
		{"a second document that is none", "runs: 3\n---\n[", "the text must hold exactly one YAML document"},
		{"text behind the document", "runs: 3\n...\nx", "the text must hold exactly one YAML document"},
		{"text behind the mapping", "{runs: 3} x", "the text must hold exactly one YAML document"},
		{"no YAML", "\t", "found character that cannot start any token"},
		{"brackets without end", "rest: " + strings.Repeat("[", 100000), "exceeded max depth of 10000"},
		{"what is not UTF-8", "word: \xff", "invalid leading UTF-8 octet"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Unmarshal([]byte(row.text), new(sample))
			assert.ErrorContains(t, err, row.want)
		})
	}
}

func TestWhatIsTaken(t *testing.T) {
	one, seven := uint32(1), 7
	for _, row := range []struct {
		name, text string
		want       sample
	}{
		{"no text", "", sample{}},
		{"comments", "# runs: 3\n", sample{}},
		{"no value for a key", "runs:\nnames: ~\nkeep: null", sample{}},
		{"a hexadecimal number", "runs: 0x10", sample{Runs: 16}},
		{"an octal number, old", "runs: 0777", sample{Runs: 0o777}},
		{"an octal number, new", "runs: 0o777", sample{Runs: 0o777}},
		{"a number with a comment", "runs: 3 # three", sample{Runs: 3}},
		{"the lowest number", "runs: -9223372036854775808", sample{Runs: -1 << 63}},
		{"True", "on: True", sample{On: true}},
		{"a duration", "keep: 1.5h", sample{Keep: 90 * time.Minute}},
		{"a number that is meant as a word", "word: 0123", sample{Word: "0123"}},
		{"a fraction that is meant as a word", "word: 1.50", sample{Word: "1.50"}},
		{"an embedded struct's keys", "callers: [{uid: 1, rate: 7}]", sample{Callers: []caller{{UID: &one, shared: shared{Rate: &seven}}}}},
		{"an alias", "callers: [&a {uid: 1}, *a]", sample{Callers: []caller{{UID: &one}, {UID: &one}}}},
		{"a merge, which the keys beside it win over", "callers: [&a {uid: 1, name: x}, {<<: *a, name: y}]", sample{Callers: []caller{{UID: &one, Name: "x"}, {UID: &one, Name: "y"}}}},
		{"a merge of two", "levels: {a: &a {uid: 1}, b: &b {name: x}, c: {<<: [*a, *b]}}", sample{Levels: map[string]caller{"a": {UID: &one}, "b": {Name: "x"}, "c": {UID: &one, Name: "x"}}}},
		{"marks around the document", "---\nruns: 3\n...\n", sample{Runs: 3}},
		{"lines of Windows", "runs: 3\r\nword: x\r\n", sample{Runs: 3, Word: "x"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got sample
			_, err := Unmarshal([]byte(row.text), &got)
			require.NoError(t, err)
			assert.Equal(t, row.want, got)
		})
	}
}

func TestWhatTheTextDoesNotSayStays(t *testing.T) {
	got := sample{Runs: 1, Word: "old", Hidden: 2}
	_, err := Unmarshal([]byte("word: new"), &got)
	require.NoError(t, err)
	assert.Equal(t, sample{Runs: 1, Word: "new", Hidden: 2}, got)
}

func TestLinesOfKeys(t *testing.T) {
	lines, err := Unmarshal([]byte("runs: 3\ncallers:\n- uid: 1\n- uid: 2\n  limits: {\n    time: 3}"), new(sample))
	require.NoError(t, err)
	for _, row := range []struct {
		name, key string
		want      string
	}{
		{"a key", "runs", "line 1: runs is bad"},
		{"an element", "callers[1]", "line 4: callers[1] is bad"},
		{"a key far down", "callers[1].limits.time", "line 6: callers[1].limits.time is bad"},
		{"a key that is not there takes the line of the one above it", "callers[1].rate", "line 4: callers[1].rate is bad"},
		{"an element that is not there, too", "callers[7]", "line 2: callers[7] is bad"},
		{"a key without any key above it has no line", "keep", "keep is bad"},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.EqualError(t, lines.Locate(Errorf(row.key, "is %s", "bad")), row.want)
		})
	}
	assert.NoError(t, lines.Locate(nil))
	other := fmt.Errorf("not of a key")
	assert.Equal(t, other, lines.Locate(other))
}

// Whatever the text is, it is refused or decoded as the library reads it without a
// type.
func FuzzUnmarshal(f *testing.F) {
	for _, seed := range []string{
		"", "runs: 1.5", "on: yes\nkeep: 10m", "callers: [&a {uid: 1}, {<<: *a, rate: 2}]", "levels: {a: &a {<<: [*a]}}",
		"callers: &a [*a]", "&runs runs: 3\n*runs : 4", "rest: &a {x: *a}\nword: *a", "? [a]\n: 1", "--- !!map\n...\n", "runs: !!null 3",
		"runs: 0x10", "runs: -.inf", "names: [!!binary aGk=, ~]", "%YAML 1.2\n---\n", "callers: !x y",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var got sample
		if _, err := Unmarshal(text, &got); err != nil {
			return
		}
		var plain struct{ Runs, On any }
		require.NoError(t, yaml.Unmarshal(text, &plain))
		assert.Contains(t, []any{got.Runs, nil}, plain.Runs)
		assert.Contains(t, []any{got.On, nil}, plain.On)
	})
}
