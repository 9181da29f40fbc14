package main

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"safe-exec/policy"
)

const example = "../../deploy/config.example.yaml"

func TestTheExampleHoldsTheDefaults(t *testing.T) {
	c, err := loadConfig(example)
	require.NoError(t, err)
	got, err := c.profiles()
	require.NoError(t, err)
	want, err := defaultConfig().profiles()
	require.NoError(t, err)
	assert.Equal(t, want, got)
	c.Profiles = nil
	assert.Equal(t, defaultConfig(), c)
}

// keys are the YAML names of a struct's fields.
func keys(of any) []string {
	var names []string
	for f := range reflect.TypeOf(of).Fields() {
		names = append(names, f.Tag.Get("yaml"))
	}
	return names
}

func TestTheExampleHoldsEveryKey(t *testing.T) {
	text, err := os.ReadFile(example)
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, yaml.Unmarshal(text, &doc))
	has := func(where string, in any, names []string, except ...string) {
		section, ok := in.(map[string]any)
		require.True(t, ok, where)
		for _, name := range names {
			if !assert.NotEmpty(t, name, where) || slices.Contains(except, name) {
				continue
			}
			assert.Contains(t, section, name, where)
		}
	}
	has("top level", doc, keys(config{}))
	for _, name := range keys(caller{}) {
		assert.Contains(t, string(text), name+": ", "callers")
	}
	has("uids", doc["uids"], keys(config{}.UIDs))
	has("spares", doc["spares"], keys(config{}.Spares))
	all := doc["profiles"].(map[string]any)
	for _, language := range policy.Languages() {
		p := all[string(language)].(map[string]any)
		has(string(language), p, keys(policy.Profile{}), "name", "language", "-")
		has("requestable", p["requestable"], keys(policy.LimitRanges{}))
		has("fixed", p["fixed"], keys(policy.Limits{}), keys(policy.LimitRanges{})...)
	}
}

func TestConfigurations(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       string // of the error; none: it is good
	}{
		{"nothing is all defaults", "", ""},
		{"comments only are all defaults", "# runs: 3\n", ""},
		{"one key", "runs: 3\n", ""},
		{"one key of a range", "uids: {first: 2000000000}\n", ""},
		{"one limit of a profile", "profiles: {python: {fixed: {max_pids: 8}}}\n", ""},
		{"an unknown key", "run: 3\n", "field run not found"},
		{"an unknown key of a profile", "profiles: {python: {fixed: {pids: 8}}}\n", "field pids not found"},
		{"a profile that there is not", "profiles: {ruby: {}}\n", `there is no profile "ruby"`},
		{"another language for a profile", "profiles: {python: {language: javascript}}\n", "name and language cannot be changed"},
		{"a limit of zero", "profiles: {python: {fixed: {max_pids: 0}}}\n", "max_pids is 0: every limit must be at least 1"},
		{"a default above the maximum", "profiles: {python: {requestable: {timeout_ms: {min: 1, default: 9, max: 8}}}}\n", "want 1 <= min <= default <= max"},
		{"a level that there is not", "profiles: {python: {level: lax}}\n", `level "lax" is not among levels`},
		{"no runs", "runs: 0\n", "runs is 0, it must be at least 1"},
		{"a negative number of runs", "runs: -1\n", "runs is -1"},
		{"no queue, which further on would mean the default", "queue: 0\n", "queue is 0, it must be at least 1"},
		{"a number that is none", "runs: many\n", "cannot unmarshal"},
		{"more runs than uids", "runs: 897\n", "gives a daemon uids for 896 runs"},
		{"no jails that wait", "spares: {floor: 0, ceiling: 0}\n", ""},
		{"a floor above the ceiling", "spares: {floor: 3, ceiling: 2}\n", "spares.floor is 3, it must be between 0 and spares.ceiling, which is 2"},
		{"a ceiling above all bounds", "spares: {ceiling: 1000}\n", "spares.ceiling is 1000, it must be between 0 and 256"},
		{"a ceiling of 0 keeps none, whatever the floor", "spares: {ceiling: 0}\n", ""},
		{"a negative ceiling", "spares: {ceiling: -1}\n", "spares.ceiling is -1, it must be between 0 and 256"},
		{"jails that wait in no memory", "spares: {memory_mb: 0}\n", "spares.memory_mb is 0, it must be at least 1"},
		{"an empty socket", "socket: ''\n", "socket is empty"},
		{"an empty state directory", "state_dir: ''\n", "state_dir is empty"},
		{"a socket path that the kernel cannot take", "socket: /" + strings.Repeat("x", 107) + "\n", "socket is 108 bytes long"},
		{"a second document", "runs: 3\n---\nruns: 4\n", "one YAML document"},
		{"callers with ceilings", "callers: [{uid: 0, level: relaxed}, {gid: 0, level: strict}]\n", ""},
		{"a ceiling of the operator's own making", "callers: [{uid: 7, level: own}]\nprofiles: {python: {levels: {own: {imports: [json]}}}, javascript: {levels: {own: {imports: [url]}}}}\n", ""},
		{"a ceiling that one profile does not have", "callers: [{uid: 7, level: own}]\nprofiles: {python: {levels: {own: {imports: [json]}}}}\n", `callers[0]: profile javascript has no level "own"; it has strict, standard, relaxed`},
		{"a caller without a level", "callers: [{uid: 7}]\n", `callers[0]: profile python has no level ""`},
		{"a caller who is nobody", "callers: [{level: strict}]\n", "callers[0]: give uid or gid, one of the two"},
		{"a caller by uid and gid", "callers: [{uid: 1, gid: 1, level: strict}]\n", "callers[0]: give uid or gid, one of the two"},
		{"a caller twice", "callers: [{uid: 7, level: strict}, {gid: 7, level: strict}, {uid: 7, level: relaxed}]\n", "callers[2]: uid 7 is there already"},
		{"a uid below zero", "callers: [{uid: -1, level: strict}]\n", "cannot unmarshal"},
		{"a caller by name", "callers: [{user: agent, level: strict}]\n", "field user not found"},
		{"a ceiling that there is not", "profiles: {python: {ceiling: lax}}\n", `ceiling "lax" is not among levels`},
		{"a mistake in a level", "profiles: {python: {levels: {own: {extends: strict, remove: {imports: [jsn]}}}}}\n", "profile python: levels.own: imports: remove: jsn is not on the list"},
		{"no YAML", "\t", "found character that cannot start any token"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := parseConfig([]byte(row.text))
			if row.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, row.want)
			}
		})
	}
}

func TestTheFirstCallerThatFitsDecides(t *testing.T) {
	c, err := parseConfig([]byte("callers: [{uid: 7, level: strict}, {gid: 9, level: standard}, {uid: 8, level: relaxed}]\n"))
	require.NoError(t, err)
	for _, row := range []struct {
		name     string
		uid, gid uint32
		want     string
	}{
		{"by uid", 7, 1, "strict"},
		{"by gid", 1, 9, "standard"},
		{"a uid ahead of a gid", 7, 9, "strict"},
		{"a gid ahead of a uid", 8, 9, "standard"},
		{"nobody's is the profile's own", 1, 1, ""},
		{"root is somebody like others", 0, 0, ""},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, c.ceiling(row.uid, row.gid)) })
	}
}

func TestAKeyThatIsNotThereKeepsItsDefault(t *testing.T) {
	c, err := parseConfig([]byte("uids: {first: 2000000000}\nprofiles: {python: {fixed: {max_pids: 8}}}\n"))
	require.NoError(t, err)
	assert.EqualValues(t, 2000000000, c.UIDs.First)
	assert.Equal(t, defaultConfig().UIDs.Count, c.UIDs.Count)
	all, err := c.profiles()
	require.NoError(t, err)
	plain, err := defaultConfig().profiles()
	require.NoError(t, err)
	want := plain["python"]
	want.Fixed.MaxPids = 8
	assert.Equal(t, want, all["python"])
	assert.Equal(t, plain["javascript"], all["javascript"])
}

// Whatever the text is, a configuration that is taken leaves nothing unlimited.
func FuzzConfig(f *testing.F) {
	text, err := os.ReadFile(example)
	require.NoError(f, err)
	f.Add(text)
	for _, seed := range []string{"", "runs: 3", "uids: {count: 4294967295}", "profiles: {python: null}", "a: &a [*a]", "profiles: {javascript: {levels: {strict: {}}}}", "callers: [{uid: 1, level: strict}]", "profiles: {python: {levels: {a: {extends: strict, add: {imports: [x.y]}}}}}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parseConfig(text)
		if err != nil {
			return
		}
		assert.Positive(t, c.Runs)
		assert.Positive(t, c.Queue)
		all, err := c.profiles()
		require.NoError(t, err)
		for name, p := range all {
			assert.Equal(t, name, p.Name)
			for _, l := range p.Levels {
				for _, name := range slices.Concat(l.Imports, l.BlockedImports, l.BlockedNames, l.ConstantNames) {
					assert.NotContains(t, name, "\n", "a list travels as lines")
					assert.NotEmpty(t, name)
				}
			}
			spec, err := policy.Resolve(policy.Request{Code: "x"}, p)
			require.NoError(t, err)
			limits := reflect.ValueOf(spec.Limits)
			for i := range limits.NumField() {
				assert.Positive(t, limits.Field(i).Int(), limits.Type().Field(i).Name)
			}
		}
	})
}
