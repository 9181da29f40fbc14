package profiles_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
)

func TestJavaScriptGuardRefusesAtRunTime(t *testing.T) {
	checkRuns(t, javascript, strictJavaScript, []runRow{
		{"a blocked module", "const m = 'fs'; require(m)", 91, "", "Error: module fs is blocked: use workdir: require(\"workdir\").readText(\"name\")"},
		{"a blocked module by its other name", "const m = 'node:child_process'; require(m)", 91, "", "Error: module node:child_process is blocked"},
		{"a module that is not on the list", "const m = 'zlib'; require(m)", 91, "", "Error: module zlib is not on the list"},
		{"an internal module", "const m = 'internal/test/binding'; require(m)", 91, "", "is not on the list"},
		{"a file", "const m = '/usr/lib/safe-exec/safe_exec.node'; require(m)", 91, "", "is not on the list"},
		{"no name at all", "require(1)", 90, "", "must be of type string"},
		{"a name that changes", "let n = 0; require({toString: () => n++ ? 'fs' : 'util'})", 90, "", "must be of type string"},
		{"a module by way of the main module", "const m = 'fs'; require.main.require(m), console.log('got')", 91, "", "module fs is blocked"},
		{"a refusal that is caught", "const m = 'fs'; try { require(m) } catch (e) { console.log(e.code) }", 0, "ERR_IMPORT_DENIED\n", ""},
		{"a refusal that a handler takes", "const m = 'fs'; process.on('uncaughtException', (e) => console.log(e.code)); require(m)", 0, "ERR_IMPORT_DENIED\n", ""},
		{"an import call", "const m = 'fs'; import(m)", 91, "", "Error: module fs is blocked"},
		{"an import call that is caught", "const m = 'node:fs'; import(m).catch((e) => console.log(e.code, e.message))", 0, "ERR_IMPORT_DENIED module node:fs is blocked: use workdir: require(\"workdir\").readText(\"name\"), writeText(\"name\", text)\n", ""},
		{"an import call of a name that changes", "let n = 0; import({toString: () => n++ ? 'fs' : 'util'}).then((m) => console.log(typeof m.format, n))", 0, "function 1\n", ""},
		{"an import call in a module", "export {}; const m = 'os'; await import(m)", 91, "", "Error: module os is blocked"},
		{"eval", "const e = 'eval'; globalThis[e]('1')", 92, "", "Error: eval is blocked"},
		{"Function", "const f = Function; f('return 1')", 92, "", "Error: Function is blocked"},
		{"the constructor of a function", "const c = 'constructor'; (() => {})[c]('return 1')", 92, "", "Error: Function is blocked"},
		{"the constructor of an async generator", "const c = 'constructor'; (async function* () {})[c]('')", 92, "", "Error: AsyncGeneratorFunction is blocked"},
		{"a class made of it", "const F = Function; class A extends F { constructor() { super('return 1') } }\nnew A()", 92, "", "Error: Function is blocked"},
		{"Function by reflection", "Reflect.construct(Function, ['return 1'])", 92, "", "Error: Function is blocked"},
		{"what is caught and goes on", "const c = 'constructor'; try { (() => {})[c]('') } catch (e) { console.log(e.code) }", 0, "ERR_POLICY_VIOLATION\n", ""},
		{"a clone of what brings its own way to be cloned", "structuredClone(new Blob(['x']))", 90, "", "DataCloneError"},
		{"options of a module's compiler that all objects have", "Object.assign(Object.prototype, {lineOffset: 0, columnOffset: 0, sourceText: 'console.log(1)', get: 1}); import('util').then((m) => console.log(typeof m.format, Object.prototype.lineOffset))", 0, "function 0\n", ""},
		{"such an option for good", "Object.defineProperty(Object.prototype, 'sourceText', {value: '1'}); require('util')", 92, "", "with Object.prototype.sourceText set for good"},
		{"a method of all objects for good", "Object.defineProperty(Object.prototype, 'mine', {value() { return 1 }}); console.log(require('util').mine(), typeof require('crypto').createHash)", 0, "1 function\n", ""},
		{"a module changed through its copy", "Object.assign(Object.prototype, {get() {}, set() {}}); const u = require('querystring'); delete Object.prototype.get; delete Object.prototype.set; u.parse = () => 0; console.log(require('url').parse('?a=b', true).query.a)", 0, "b\n", ""},
		{"listeners beyond the limit", "require('events').defaultMaxListeners = 1; process.on('exit', () => {}); process.on('exit', () => {}); process.on('warning', (w) => console.log(w.name, w.emitter === process))", 0, "MaxListenersExceededWarning true\n", "MaxListenersExceededWarning"},
		{"a port for another thread", "const s = require('util').transferableAbortController().signal; for (const k of Object.getOwnPropertySymbols(AbortSignal.prototype)) if (/transfer_list/.test(k.description)) s[k]()", 90, "", "DataCloneError"},
		{"a port for a stream that Node makes", "const s = new Blob(['x']).stream(), p = Object.getPrototypeOf(s); for (const k of Object.getOwnPropertySymbols(p)) if (/transfer_list/.test(k.description)) s[k]()", 90, "", "DataCloneError"},
		{"the handle of a key", "crypto.subtle.generateKey({name: 'AES-GCM', length: 128}, true, ['encrypt']).then((key) => { for (const k of Object.getOwnPropertySymbols(Object.getPrototypeOf(key))) if (/messaging_clone/.test(k.description)) key[k]() })", 90, "", "DataCloneError"},
		{"the real environment", "let found; Object.defineProperty(Object.prototype, 'FORCE_COLOR', {configurable: true, get() { found ??= this }}); new console.Console({stdout: process.stdout, colorMode: 'auto'}).log(1); console.log(found === undefined || Object.keys(found).length)", 0, "1\ntrue\n", ""},
		{"the class of a mark", "const n = 'constr' + 'uctor'; new (performance.mark('a')[n])('b')", 92, "", "Error: PerformanceMark is blocked"},
		{"a class of another module in events", "const n = 'EventEmitterAsync' + 'Resource'; console.log(Object.getPrototypeOf(process).constructor[n])", 0, "undefined\n", ""},
		{"another blocked name", "console.log(typeof globalThis['Web' + 'Assembly'], globalThis['fet' + 'ch'])", 0, "undefined undefined\n", ""},
		{"what process has not", "const n = ['binding', 'dlopen', 'kill', 'mainModule', '_linkedBinding', 'getBuiltinModule', 'report', '_events_']; console.log(n.map((x) => typeof process[x]).join(), global.process === process)", 0, strings.TrimSuffix(strings.Repeat("undefined,", 8), ",") + " true\n", ""},
		{"what crypto has not", "const c = require('crypto'), n = 'setEngine'; console.log(c[n], typeof c.createHash)", 0, "undefined function\n", ""},
	})
}

// An operator's level may leave names and modules open; what no list names stays
// closed.
func TestJavaScriptOperatorsLevel(t *testing.T) {
	checkRuns(t, javascript, func(code string) wire.Job { return wire.Job{Imports: []string{"os", "util"}, Code: code} }, []runRow{
		{"code from strings", "console.log(eval('1 + 1'), new Function('return 3')(), typeof WebAssembly.Module)", 0, "2 3 function\n", ""},
		{"a module that computes more than on data", "console.log(require('os').EOL === '\\n')", 0, "true\n", ""},
		{"a module that is not on the list, in code from a string", "eval('imp' + 'ort(\"fs\")')", 91, "", "module fs is not on the list"},
		{"the real process", "console.log(eval('process.bind' + 'ing'))", 0, "undefined\n", ""},
	})
}

// What is denied of a module is not found beside it either.
func TestJavaScriptDeniedModules(t *testing.T) {
	level := func(code string) wire.Job {
		return wire.Job{
			Imports: []string{"util", "path", "path/win32", "stream", "assert", "zlib"}, Code: code,
			BlockedImports: []string{"util/types", "path/posix", "stream/promises", "assert/strict", "buffer", "crypto", "process", "url"},
		}
	}
	checkRuns(t, javascript, level, []runRow{
		{"an export of another", "const {[0]: n} = ['types']; console.log(require('util')[n], require('path')['pos' + 'ix'], require('path/win32')['pos' + 'ix'], require('path').win32.sep)", 0, "undefined undefined undefined \\\n", ""},
		{"an export of a function", "console.log(require('stream')['prom' + 'ises'], require('assert')['str' + 'ict'])", 0, "undefined undefined\n", ""},
		{"globals", "const n = ['Buffer', 'crypto', 'process', 'URL', 'Blob']; console.log(n.map((x) => typeof globalThis[x]).join(), require('zlib').gzipSync('a').length > 0)", 0, "undefined,undefined,undefined,undefined,undefined true\n", ""},
		{"a module", "import u from 'util'; console.log(u.format('%d', 1), await import('zlib').then((m) => typeof m.gzip))", 0, "1 function\n", ""},
	})
	for _, i := range javascript.ways() {
		assert.Equal(t, "1:1 attribute_blocked util.types\n1:24 name_blocked Buffer", refusals(t, run(t, i, level("require('util').types; Buffer.from('')")), 0))
	}
}

func TestJavaScriptImportOfANameThatIsNotThere(t *testing.T) {
	for _, i := range javascript.ways() {
		out := run(t, i, strictJavaScript("import {\n  nope} from 'util'"))
		require.Equal(t, "S", string(rune(out.kind)))
		line, column, message, err := wire.DecodeSyntaxError(out.payload)
		require.NoError(t, err)
		assert.Equal(t, [2]uint32{2, 3}, [2]uint32{line, column})
		assert.Contains(t, message, "does not provide an export named 'nope'")
	}
}

// The engine's own refusal stands where the harness's functions would fall.
func TestJavaScriptEngineMakesNoCodeFromStrings(t *testing.T) {
	dir := planted(t, "Object.defineProperty(Object, 'real', {value: Function});")
	job := strictJavaScript("Object.real('console.log(1)')()")
	for _, loose := range javascript.ways() {
		out := runIn(t, dir, loose, job)
		assert.Equal(t, "1\n", out.stdout, "the control: %s", out.stderr)
	}
	for _, locked := range javascriptLocked.ways() {
		out := runIn(t, dir, locked, job)
		assert.Equal(t, 92, out.exit, out.stderr)
		assert.Contains(t, out.stderr, "Code generation from strings disallowed")
	}
}

func TestJavaScriptCheckRunsNothing(t *testing.T) {
	rows := []struct {
		name string
		code string
		want []string
	}{
		{"no imports", "console.log(1)", []string{}},
		{"requires", "require('util'); require('node:assert'); module.require('url')", []string{"assert", "url", "util"}},
		{"statements", "import 'util'; export * from 'events'; import('buffer')", []string{"buffer", "events", "util"}},
		{"one module twice", "require('util'), require('node:util')", []string{"util"}},
		{"a module below another", "require('assert/strict')", []string{"assert/strict"}},
		{"a name that is computed", "const m = 'util'; require(m)", []string{}},
		{"an escape after a comment that ends in a backslash", "//a\\\n\\u0072equire('util')", []string{"util"}},
	}
	check := func(job wire.Job) wire.Job { job.CheckOnly = true; return job }
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, job := range []wire.Job{strictJavaScript(row.code), openJavaScript(row.code)} {
				for _, i := range javascript.oneWay() { // the check sees the text and the lists, whatever was made ready
					out := run(t, i, check(job))
					require.Equal(t, "C", string(rune(out.kind)), "%q", out.payload)
					count, list, err := wire.DecodeImports(out.payload)
					require.NoError(t, err)
					assert.Len(t, list, count)
					assert.Equal(t, row.want, list)
					assert.Zero(t, out.exit)
					assert.Empty(t, out.stdout+out.stderr, "it ran")
				}
			}
		})
	}
	for _, i := range javascript.ways() {
		out := run(t, i, check(openJavaScript("require('node:fs'); import('os')")))
		_, list, err := wire.DecodeImports(out.payload)
		require.NoError(t, err)
		assert.Equal(t, []string{"fs", "os"}, list)
		assert.Equal(t, "1:1 import_blocked fs", refusals(t, run(t, i, check(strictJavaScript("require('fs')"))), 0))
		assert.Equal(t, "S", string(rune(run(t, i, check(openJavaScript("let a = ;"))).kind)))
	}
}

// A program may be refused for its size, but not take the harness down.
func TestJavaScriptCheckTakesLargeAndDeepPrograms(t *testing.T) {
	const suspect = "\nif (0) import('util')" // or the text would not be parsed
	long := strings.Repeat("x = [1, {a: 'b'}, (c) => c + 1]; // a line\n", 1<<20/44)
	rows := []struct {
		name string
		code string
		kind string // A, or S for a refusal
	}{
		{"one MiB of statements", "let x;\n" + long, "A"},
		{"one MiB in one line", "let x;" + strings.Repeat("x = 1;", 1<<20/6), "A"},
		{"one MiB of one text", "`" + strings.Repeat("a", 1<<20-100) + "`", "A"},
		{"a sum of 1,000 terms", "1" + strings.Repeat(" + 1", 1000), "A"},
		{"a sum of 10,000 terms", "1" + strings.Repeat(" + 1", 10000), ""},
		{"a chain of 10,000 calls", "const f = () => f; if (0) f" + strings.Repeat("()", 10000), ""},
		{"brackets 10,000 deep", strings.Repeat("[", 10000) + strings.Repeat("]", 10000), ""},
		{"parentheses 10,000 deep", strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000), ""},
		{"functions 10,000 deep", strings.Repeat("(() => ", 10000) + "1" + strings.Repeat(")", 10000), ""},
		{"blocks 10,000 deep", strings.Repeat("{", 10000) + strings.Repeat("}", 10000), ""},
		{"templates 5,000 deep", strings.Repeat("`${", 5000) + "1" + strings.Repeat("}`", 5000), ""},
		{"a hundred thousand violations", strings.Repeat("eval;", 100000), "V"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, i := range javascript.ways() { // what has run before decides how deep is too deep
				out := run(t, i, strictJavaScript(row.code+suspect))
				kind := string(rune(out.kind))
				if row.kind != "" {
					require.Equal(t, row.kind, kind, "%q", out.payload)
				}
				switch kind {
				case "A":
					assert.Zero(t, out.exit, out.stderr)
				case "V":
					isLargestRefusal(t, out)
				case "S":
					_, _, message, err := wire.DecodeSyntaxError(out.payload)
					require.NoError(t, err)
					assert.Contains(t, message, "nested too deeply")
				default:
					assert.Fail(t, "no answer to the program", "%s %q", kind, out.payload)
				}
			}
		})
	}
}

func TestJavaScriptPolicyNeverSendsMoreThanTheDaemonTakes(t *testing.T) {
	long := strings.Repeat("\u20ac", 5000)
	for _, i := range javascript.oneWay() { // the check sees the text and the lists, whatever was made ready
		isLargestRefusal(t, run(t, i, strictJavaScript(strings.Repeat("require('"+long+"')\n", 50)+strings.Repeat("eval('1')\n", 150))))
	}
}

// The words that a text is scanned for before it is parsed hide no rule: a
// harness that parses every text comes to the same answer.
func TestJavaScriptScanMissesNothingThatTheTreeShows(t *testing.T) {
	parseAll := planted(t, "isSuspect = () => true;")
	random := rand.New(rand.NewPCG(1, 2))
	escapes := []string{"\\u%04x", "\\x%02x", "\\u{%x}", "\\%o", "\\\n%c", "\\%c", "/**/%c", "%c", " %c", "\n%c"}
	programs := []string{
		"require('fs')", "module.require('fs')", "import('fs')", "import fs from 'fs'", "export * from 'os'", "eval('1')", "(0, eval)('1')",
		"new Function('a')", "globalThis.eval('1')", "(() => {}).constructor('x')", "[]['constructor']['constructor']('x')",
		"process.binding('fs')", "process['kill'](1)", "require('crypto').setEngine", "const {setFips} = require('crypto')", "fetch('x')", "typeof fetch",
		"class A { constructor() { this.constructor(1) } }", "const o = {eval: 1, process: 2, require: 3}; o.eval", "process.stdout.write('x'); process.exit(0)",
	}
	texts := make([]string, 100)
	for round := range texts {
		code := programs[round%len(programs)]
		for range round / len(programs) {
			at := random.IntN(len(code))
			code = code[:at] + fmt.Sprintf(escapes[random.IntN(len(escapes))], code[at]) + code[at+1:]
		}
		texts[round] = code
	}
	var refused atomic.Int64
	everyCPU(t, texts, func(t *testing.T, _ int, code string) {
		job := strictJavaScript(code)
		job.CheckOnly = true
		for _, i := range javascript.oneWay() { // the check sees the text and the lists, whatever was made ready
			scanned, parsed := run(t, i, job), runIn(t, parseAll, i, job)
			if parsed.kind == wire.Violations {
				refused.Add(1)
				assert.Equal(t, string(parsed.payload), string(scanned.payload), "%q", code)
			}
			assert.Equal(t, string(rune(parsed.kind)), string(rune(scanned.kind)), "%q", code)
		}
	})
	assert.Greater(t, refused.Load(), int64(20), "hardly any program was refused, so nothing was compared")
}
