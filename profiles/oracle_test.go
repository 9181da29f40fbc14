package profiles_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// Programs that try to reach out run under an oracle (testdata/oracle), which
// compares what they got hold of, by identity, with the real modules, builtins,
// process and loader. Unlike the words that a program prints it cannot be fooled
// by an object that only looks like the real one, nor miss one that does not.

// oracled starts the harness under the oracle.
func oracled(t testing.TB, language policy.Language, level policy.Level) interpreter {
	t.Helper()
	i := harnessOf(language, level)
	switch language {
	case policy.Python:
		i.before = []string{script(t, "oracle/oracle.py")}
		i.harness = "." // the oracle's argument: where the harness is
	case policy.JavaScript:
		i.before = []string{"--require", script(t, "oracle/oracle.js")}
	}
	return i
}

var oracleLine = regexp.MustCompile(`\nORACLE (\d+) objects: (.*)\n`)

// reached runs a program under the oracle, in every way of its language. It gives
// what the program got hold of, "" for nothing; ran is false where the policy let
// none of it run, or ended it.
func reached(t testing.TB, language policy.Language, level policy.Level, code string) (what string, ran bool) {
	t.Helper()
	for _, i := range oracled(t, language, level).ways() {
		found, did := reachedBy(t, i, level, code)
		if found != "" {
			found += ", " + string(i.way)
		}
		what, ran = what+found, ran || did
	}
	return what, ran
}

func reachedBy(t testing.TB, i interpreter, level policy.Level, code string) (what string, ran bool) {
	t.Helper()
	out := run(t, i, jobOf(level, code))
	switch string(rune(out.kind)) {
	case "S", "V":
		return "", false
	case "A":
	default:
		require.Fail(t, "the harness failed", "%q, status %d, stderr %s\n%s", out.payload, out.exit, out.stderr, code)
	}
	if out.exit == -1 && (out.cpu > (oracleCPU-1)*time.Second || strings.Contains(out.stderr, "heap out of memory")) {
		return "", false // a loop of its own, which in a jail the limits end
	}
	require.Contains(t, []int{0, 1, 90, 91, 92}, out.exit, "the program crashed the interpreter: %s\n%s", cut(out.stderr), code)
	lines := oracleLine.FindAllStringSubmatch(out.stderr, -1)
	if len(lines) == 0 {
		require.Contains(t, []int{90, 91, 92}, out.exit, "no word of the oracle, and the policy did not end it: %s\n%s", cut(out.stderr), code)
		return "", false
	}
	if last := lines[len(lines)-1]; last[2] != "clean" {
		return last[2], true
	}
	return "", true
}

// The oracle must see what is plainly there, else its silence means nothing.
func TestTheOracleSeesWhatAnUnrestrictedProgramHas(t *testing.T) {
	for _, row := range []struct {
		name     string
		language policy.Language
		code     string
		want     string
	}{
		{"a module", policy.Python, "import sys\ngot = [sys]", "module sys"},
		{"a module in a list in a dictionary", policy.Python, "import os\ngot = [{'a': [os]}]", "module os"},
		{"the builtin open", policy.Python, "got = [(open,)]", "open"},
		{"the builtins", policy.Python, "got = [len.__self__]", "module builtins"},
		{"the names of a module", policy.Python, "import json\ngot = [json.loads.__globals__]", "the table of module json"},
		{"a frame", policy.Python, "got = [(x for x in []).gi_frame]", "a frame"},
		{"a traceback", policy.Python, "try: 1/0\nexcept Exception as e: got = [e.__traceback__]", "a traceback"},
		{"code", policy.Python, "got = [(lambda: 0).__code__]", "a code"},
		{"a function that starts processes", policy.Python, "import os\ngot = [os.system]", "posix.system"},
		{"nothing", policy.Python, "import json\ngot = [json.loads, len, 1, 'os', {}]", ""},
		{"process", policy.JavaScript, "globalThis.got = [process]", "process"},
		{"a module", policy.JavaScript, "globalThis.got = [[require('fs')]]", "module fs"},
		{"the constructor of functions", policy.JavaScript, "globalThis.got = [{a: (() => {}).constructor}]", "the constructor Function"},
		{"eval", policy.JavaScript, "globalThis.got = [eval]", "eval"},
		{"a module of the loader", policy.JavaScript, "globalThis.got = [module]", "a module of the loader"},
		{"process, though arrays cannot be iterated", policy.JavaScript, "globalThis.got = [process]; Array.prototype[Symbol.iterator] = undefined", "process"},
		{"process, though arrays swallow what is stored", policy.JavaScript, "globalThis.got = [process]; Object.defineProperty(Array.prototype, 0, {set() {}})", "process"},
		{"process, though nothing is what it was", policy.JavaScript, "globalThis.got = [{a: process}]; const no = () => { throw 1 }; Map.prototype.get = Map.prototype.has = Set.prototype.has = Set.prototype.add = Reflect.ownKeys = Reflect.apply = Array.isArray = Object.getPrototypeOf = Function.prototype.call = no", "process"},
		{"nothing", policy.JavaScript, "globalThis.got = [Math, require('util').inspect, {}, 1, 'fs']", ""},
	} {
		t.Run(string(row.language)+", "+row.name, func(t *testing.T) {
			what, ran := reached(t, row.language, policy.Level{Unrestricted: true}, row.code)
			assert.True(t, ran)
			if row.want == "" {
				assert.Empty(t, what)
			} else {
				assert.Contains(t, strings.Split(what, ", "), row.want)
			}
		})
	}
}
