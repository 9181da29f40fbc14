package main

import (
	"fmt"
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

// many texts in a row, each with its number.
func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// keys are the YAML names of a struct's fields.
func keys(of any) []string {
	var names []string
	for f := range reflect.TypeOf(of).Fields() {
		if name := f.Tag.Get("yaml"); name == ",inline" {
			names = append(names, keys(reflect.Zero(f.Type).Interface())...)
		} else {
			names = append(names, name)
		}
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
	for _, name := range slices.Concat(keys(caller{}), keys(callerLimits{})) {
		assert.Contains(t, string(text), name+": ", "callers")
	}
	has("jobs", doc["jobs"], keys(jobsConfig{}))
	has("audit", doc["audit"], keys(auditConfig{}))
	has("tcp", doc["tcp"], keys(tcpConfig{}))
	has("tcp.tls", doc["tcp"].(map[string]any)["tls"], keys(tlsConfig{}))
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
		{"an unknown key", "run: 3\n", `line 1: unknown key "run"`},
		{"an unknown key of a profile", "profiles: {python: {fixed: {pids: 8}}}\n", `line 1: unknown key "profiles.python.fixed.pids"`},
		{"a profile that there is not", "profiles: {ruby: {}}\n", `line 1: profiles: there is no profile "ruby"`},
		{"another language for a profile", "profiles: {python: {language: javascript}}\n", "name and language cannot be changed"},
		{"a limit of zero", "profiles: {python: {fixed: {max_pids: 0}}}\n", "max_pids is 0: every limit must be at least 1"},
		{"a default above the maximum", "profiles: {python: {requestable: {timeout_ms: {min: 1, default: 9, max: 8}}}}\n", "want 1 <= min <= default <= max"},
		{"a level that there is not", "profiles: {python: {level: lax}}\n", `level "lax" is not among levels`},
		{"no runs", "runs: 0\n", "runs is 0, it must be at least 1"},
		{"a negative number of runs", "runs: -1\n", "runs is -1"},
		{"no queue, which further on would mean the default", "queue: 0\n", "queue is 0, it must be between 1 and 65536"},
		{"a queue longer than anybody waits", "queue: 65537\n", "queue is 65537, it must be between 1 and 65536"},
		{"a number that is none", "runs: many\n", `line 1: runs is "many", it must be a whole number`},
		{"more runs than uids", "runs: 897\n", "runs is 897 and jobs.runs 897, but uids.count 262144 gives a daemon uids for 1792 in all"},
		{"more runs than uids, beside fewer jobs", "runs: 1700\njobs: {runs: 92}\n", ""},
		{"more jobs at once than uids", "jobs:\n  runs: 1792\n", "line 2: jobs.runs is 1792, but uids.count 262144 gives a daemon uids for 1792 runs and jobs"},
		{"no jobs at once", "jobs: {runs: 0}\n", "jobs.runs is 0, it must be at least 1"},
		{"all that there is of jobs", "jobs: {runs: 2, queued: 1, finished: 1, finished_mb: 1, keep: 1s, attempts: 1}\n", ""},
		{"no jobs that wait, which further on would mean the default", "jobs: {queued: 0}\n", "jobs.queued is 0, it must be between 1 and 1000000"},
		{"jobs that nobody keeps", "jobs: {finished: 0}\n", "jobs.finished is 0, it must be between 1 and"},
		{"more results than a disk holds", "jobs: {finished_mb: 65537}\n", "jobs.finished_mb is 65537, it must be between 1 and 65536"},
		{"jobs that are kept for no time", "runs: 3\njobs:\n  keep: 0s\n", "line 3: jobs.keep is 0s, it must be between 1s and 720h0m0s"},
		{"a time without its unit", "jobs: {keep: 3600}\n", `jobs.keep is "3600", it must be a duration with its unit`},
		{"no attempt", "jobs: {attempts: 0}\n", "jobs.attempts is 0, it must be between 1 and 100"},
		{"a ledger of one file", "runs: 3\naudit:\n  files: 1\n", "line 3: audit.files is 1, it must be between 2 and 65536"},
		{"no jails that wait", "spares: {floor: 0, ceiling: 0}\n", ""},
		{"a floor above the ceiling", "spares: {floor: 3, ceiling: 2}\n", "spares.floor is 3, it must be between 0 and spares.ceiling, which is 2"},
		{"a ceiling above all bounds", "spares: {ceiling: 1000}\n", "spares.ceiling is 1000, it must be between 0 and 256"},
		{"a ceiling of 0 keeps none, whatever the floor", "spares: {ceiling: 0}\n", ""},
		{"a negative ceiling", "spares: {ceiling: -1}\n", "spares.ceiling is -1, it must be between 0 and 256"},
		{"jails that wait in no memory", "spares: {memory_mb: 0}\n", "spares.memory_mb is 0, it must be between 1 and 16777216"},
		{"jails that wait in more memory than there is", "spares: {memory_mb: 9223372036854775807}\n", "spares.memory_mb is 9223372036854775807, it must be between 1 and"},
		{"a check that never comes again", "check_interval: 2562047h\n", "check_interval is 2562047h0m0s, it must be between 1s and 24h0m0s"},
		{"memory that does not fit when it is counted in bytes", "profiles: {python: {requestable: {max_memory_mb: {min: 32, default: 64, max: 9223372036854775807}}}}\n", "requestable.max_memory_mb: max is 9223372036854775807, the most is 1048576"},
		{"more processes than the kernel has", "profiles: {python: {fixed: {max_pids: 4194305}}}\n", "fixed.max_pids is 4194305, the most is 4194304"},
		{"more levels than are checked in a second", "profiles: {python: {levels: {" + many(101, "l%d: {extends: strict}, ") + "}}}\n", "levels: there are 101, the most is 100"},
		{"more names than are checked in a second", "profiles: {python: {levels: {own: {imports: [" + many(5001, "m%d, ") + "]}}}}\n", "imports: there are 5001 names, the most is 5000"},
		{"more names to add than are checked in a second", "profiles: {python: {levels: {own: {extends: strict, add: {imports: [" + many(5001, "m%d, ") + "]}}}}}\n", "there are 5001 names to add and remove, the most is 5000"},
		{"an empty socket", "socket: ''\n", "socket is empty"},
		{"an empty state directory", "state_dir: ''\n", "state_dir is empty"},
		{"a socket path that the kernel cannot take", "socket: /" + strings.Repeat("x", 107) + "\n", "socket is 108 bytes long"},
		{"a second document", "runs: 3\n---\nruns: 4\n", "one YAML document"},
		{"callers with ceilings", "callers: [{uid: 0, level: relaxed}, {gid: 0, level: strict}]\n", ""},
		{"a ceiling of the operator's own making", "callers: [{uid: 7, level: own}]\nprofiles: {python: {levels: {own: {imports: [json]}}}, javascript: {levels: {own: {imports: [url]}}}}\n", ""},
		{"a ceiling that one profile does not have", "callers: [{uid: 7, level: own}]\nprofiles: {python: {levels: {own: {imports: [json]}}}}\n", `line 1: callers[0].level is "own", and profile javascript has none of that name; it has strict, standard, relaxed`},
		{"a caller without a level has the others'", "callers: [{uid: 7}]\n", ""},
		{"a caller who is nobody", "callers: [{level: strict}]\n", "callers[0] must have uid, gid or token, one of the three"},
		{"a caller by uid and gid", "callers: [{uid: 1, gid: 1, level: strict}]\n", "callers[0] must have uid, gid or token, one of the three"},
		{"a caller twice", "callers: [{uid: 7, level: strict}, {gid: 7, level: strict}, {uid: 7, level: relaxed}]\n", "callers[2] can never decide: callers[0] is for uid 7 too"},
		{"a uid below zero", "callers: [{uid: -1, level: strict}]\n", `callers[0].uid is "-1", it must be a whole number from 0 to 4294967295`},
		{"a caller by name", "callers: [{user: agent, level: strict}]\n", `unknown key "callers[0].user"`},
		{"a caller with everything", "callers:\n- {token: ci, allow: true, level: strict, limits: {timeout_ms: 1, max_memory_mb: 512, max_stdout_bytes: 1, max_stderr_bytes: 1}, runs: 1, waiting: 1, jobs_queued: 1, jobs_runs: 1, rate: 1, cpu_seconds_per_hour: 1, weight: 1}\n", ""},
		{"others with everything", "others: {allow: false, level: strict, limits: {timeout_ms: 1}, runs: 4, waiting: 8, jobs_queued: 100, jobs_runs: 4, rate: 600, cpu_seconds_per_hour: 3600, weight: 2}\n", ""},
		{"a part of a run", "runs: 3\ncallers:\n- uid: 1\n- uid: 2\n  runs: 1.5\n", `line 5: callers[1].runs is "1.5", it must be a whole number`},
		{"a whole number written as a fraction", "runs: 3.0\n", `line 1: runs is "3.0", it must be a whole number`},
		{"a number with an exponent", "queue: 1e3\n", `queue is "1e3", it must be a whole number`},
		{"a fraction in a profile", "profiles:\n  python:\n    fixed: {max_pids: 8.5}\n", `line 3: profiles.python.fixed.max_pids is "8.5", it must be a whole number`},
		{"a fraction for uids", "uids: {first: 1900000000.5}\n", `uids.first is "1900000000.5", it must be a whole number`},
		{"a uid above all", "callers: [{uid: 4294967296}]\n", `callers[0].uid is "4294967296", it must be a whole number from 0 to 4294967295`},
		{"a rate below zero", "callers:\n- uid: 1\n- uid: 2\n- uid: 3\n  rate: -1\n", "line 5: callers[2].rate is -1, it must be between 1 and"},
		{"a rate of none, which further on would mean the default", "others: {rate: 0}\n", "line 1: others.rate is 0, it must be between 1 and"},
		{"a weight above all bounds", "others: {weight: 1001}\n", "others.weight is 1001, it must be between 1 and 1000"},
		{"a ceiling of time below which nothing runs", "others: {limits: {timeout_ms: 0}}\n", "others.limits.timeout_ms is 0, it must be between 1"},
		{"a ceiling of memory that some language can run in", "others: {limits: {max_memory_mb: 64}}\n", ""},
		{"a ceiling of memory that none can", "others: {limits: {max_memory_mb: 31}}\n", "others.limits.max_memory_mb is 31, it must be between 32"},
		{"a ceiling of time that no profile reaches", "callers: [{uid: 5, limits: {timeout_ms: 99999}}]\n", "callers[0].limits.timeout_ms is 99999, it must be between 1, below which nothing runs, and 30000, which no profile goes beyond"},
		{"a ceiling of time that one profile reaches", "profiles: {python: {requestable: {timeout_ms: {min: 1, default: 5000, max: 99999}}}}\nothers: {limits: {timeout_ms: 99999}}\n", ""},
		{"an unknown limit", "callers: [{uid: 1, limits: {max_pids: 8}}]\n", `unknown key "callers[0].limits.max_pids"`},
		{"root who may not call", "callers: [{uid: 0, allow: false}]\n", "callers[0].allow is false, but uid 0 may always call"},
		{"a word for yes or no", "others: {allow: maybe}\n", `others.allow is "maybe", it must be true or false`},
		{"a token by no name", "callers: [{token: 'a b'}]\n", "callers[0].token is not the name of a token"},
		{"a token twice", "callers: [{token: a}, {token: a}]\n", "callers[1] can never decide"},
		{"a list where keys are wanted", "others: [1]\n", "line 1: others must be a mapping"},
		{"keys where a list is wanted", "callers: {uid: 1}\n", "line 1: callers must be a list"},
		{"a list where a value is wanted", "runs: [1]\n", "runs must be a whole number that fits 64 bits, not a list or a mapping"},
		{"a document that is a word", "runs\n", "line 1: the document must be a mapping"},
		{"a duration without a unit", "check_interval: 600\n", `check_interval is "600", it must be a duration with its unit`},
		{"TCP on loopback", "tcp: {listen: '127.0.0.1:8080'}\n", ""},
		{"TCP on loopback of the other kind", "tcp: {listen: '[::1]:8080'}\n", ""},
		{"TCP for all the world in the clear", "tcp: {listen: '0.0.0.0:8080'}\n", "line 1: tcp.listen is 0.0.0.0:8080, which other hosts may reach: that needs tcp.tls"},
		{"TCP for all the world with TLS", "tcp: {listen: '[::]:8080', tls: {cert: /c, key: /k}}\n", ""},
		{"TCP on no address", "tcp: {listen: ':8080'}\n", "it must be an address and a port"},
		{"TCP on a name, which may come to mean another address", "tcp: {listen: 'localhost:8080'}\n", "it must be an address and a port"},
		{"a certificate without a key", "tcp: {tls: {cert: /c}}\n", "tcp.tls must have cert and key, or neither"},
		{"TCP without tokens", "tcp: {listen: '127.0.0.1:1', tokens_file: ''}\n", "tcp.tokens_file is empty"},
		{"a tree of aliases that grows without end", "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n", `unknown key "a"`},
		{"a ceiling that there is not", "profiles: {python: {ceiling: lax}}\n", `ceiling "lax" is not among levels`},
		{"an unknown key of a level", "profiles:\n  python:\n    levels: {own: {extends: strict, add: {import: [json]}}}\n", `line 3: unknown key "profiles.python.levels.own.add.import"`},
		{"a level that is a list", "profiles: {python: {levels: {own: [json]}}}\n", "line 1: profiles.python.levels.own must be a mapping"},
		{"a profile that is a word", "profiles: {python: strict}\n", "line 1: profiles.python must be a mapping"},
		{"one part for two profiles", "profiles: {python: {fixed: &f {max_pids: 8}}, javascript: {fixed: *f}}\n", ""},
		{"a mistake in a part for two profiles", "profiles:\n  python: {fixed: &f {max_pids: 8.5}}\n  javascript: {fixed: *f}\n", `line 2: profiles.javascript.fixed.max_pids is "8.5", it must be a whole number`},
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
	for _, seed := range []string{"", "runs: 3", "uids: {count: 4294967295}", "profiles: {python: null}", "a: &a [*a]", "callers: &a [*a]", "others: {rate: 1.5}", "tcp: {listen: '[::]:1'}", "profiles: {javascript: {levels: {strict: {}}}}", "callers: [{uid: 1, level: strict}]", "profiles: {python: {levels: {a: {extends: strict, add: {imports: [x.y]}}}}}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parseConfig(text)
		if err != nil {
			return
		}
		assert.Positive(t, c.Runs)
		assert.Positive(t, c.Queue)
		j := c.Jobs
		assert.Positive(t, min(int64(j.runs(c.Runs)), int64(j.Queued), int64(j.Finished), j.FinishedMB, int64(j.Keep), int64(j.Attempts)))
		for _, g := range append([]grant{c.Others}, grants(c.Callers)...) {
			for _, v := range []*int{g.Runs, g.Waiting, g.JobsQueued, g.Rate, g.CPUSeconds, g.Weight} {
				assert.True(t, v == nil || *v > 0)
			}
		}
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

func grants(all []caller) (out []grant) {
	for _, one := range all {
		out = append(out, one.grant)
	}
	return out
}
