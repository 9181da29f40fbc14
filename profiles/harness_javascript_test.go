package profiles_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

func strictJavaScript(code string) wire.Job { return strict(policy.JavaScript, code) }

func openJavaScript(code string) wire.Job { return wire.Job{Unrestricted: true, Code: code} }

func TestJavaScriptRunsAsBareNodeDoes(t *testing.T) {
	both := []runRow{
		{"prints", "console.log('hello')", 0, "hello\n", ""},
		{"is the main module", "console.log(require.main === module, __filename, this === module.exports)", 0, "true /tmp/program.js true\n", ""},
		{"names its arguments", "console.log(process.argv[1], process.argv.length)", 0, "/tmp/program.js 2\n", ""},
		{"exits with a number", "process.exit(3)", 3, "", ""},
		{"sets its exit code", "process.exitCode = 4; console.log('on')", 4, "on\n", ""},
		{"exits with 1 by itself", "process.exit(1)", 1, "", ""},
		{"prints an uncaught error with its line", "\nthrow new TypeError('bad')", 90, "", "/tmp/program.js:2\nthrow new TypeError('bad')\n^\n\nTypeError: bad\n    at Object.<anonymous> (/tmp/program.js:2:7)\n"},
		{"throws something that is no error", "throw null", 90, "", "throw null"},
		{"throws what claims to be the policy's and is not an error", "throw {stack: {}, code: 5}", 90, "", "throw"},
		{"rejects a promise that nobody handles", "Promise.reject(new Error('late'))", 90, "", "Error: late"},
		{"throws in a timer", "setTimeout(() => { throw new RangeError('t') }, 1)", 90, "", "RangeError: t"},
		{"handles its uncaught errors itself", "process.on('uncaughtException', (e) => console.log('got', e.message)); throw new Error('e')", 0, "got e\n", ""},
		{"runs exit handlers", "process.on('exit', (c) => console.log('bye', c)); console.log('on')", 0, "on\nbye 0\n", ""},
		{"endless recursion is an error", "(function f() { f() })()", 90, "", "Maximum call stack size exceeded"},
		{"awaits at the top level", "const x = await new Promise((r) => setTimeout(r, 1, 5)); console.log(x, __filename)", 0, "5 /tmp/program.js\n", ""},
		{"fails after an await", "await 1; null.x", 90, "", "TypeError: Cannot read properties of null"},
		{"fails in what it awaits at the top level", "console.log(1); await Promise.reject(new Error('lost')); console.log(2)", 90, "1\n", "Error: lost"},
		{"fails after an await while a timer is pending", "setTimeout(console.log, 1, 'no'); await 1; throw new Error('lost')", 90, "", "Error: lost"},
		{"awaits what never settles", "console.log(1); await new Promise(() => {}); console.log(2)", 13, "1\n", "Warning: Detected unsettled top-level await at /tmp/program.js\n"},
		{"awaits what never settles in a module", "import {inspect} from 'util'; console.log(1); await new Promise(() => {}); console.log(2)", 13, "1\n", "Warning: Detected unsettled top-level await at /tmp/program.js\n"},
		{"awaits what never settles in a loop after timers", "for await (const x of [1, new Promise((r) => setTimeout(r, 1, 2)), new Promise(() => {})]) console.log(x)", 13, "1\n2\n", "unsettled top-level await"},
		{"awaits what never settles and hears of its end", "process.on('exit', (c) => console.log(c, process.exitCode)); process.once('exit', (c) => console.log(c)); await new Promise(() => {})", 13, "13 13\n13\n", "unsettled top-level await"},
		{"awaits what never settles in a module and hears of its end", "import 'util'; process.on('exit', (c) => console.log(c, process.exitCode)); await new Promise(() => {})", 13, "13 13\n", "unsettled top-level await"},
		{"awaits what never settles and changes its status at the end", "process.on('exit', () => { process.exitCode = 5 }); await new Promise(() => {})", 5, "", ""},
		{"awaits what never settles and has set its status", "process.exitCode = 4; await new Promise(() => {})", 4, "", ""},
		{"awaits what never settles and has set its status to 0", "process.exitCode = 0; process.on('exit', (c) => console.log(c)); await new Promise(() => {})", 0, "0\n", ""},
		{"awaits what never settles and exits", "setTimeout(() => process.exit(), 1); process.on('exit', (c) => console.log(c)); await new Promise(() => {})", 0, "0\n", ""},
		{"awaits what never settles and exits with a number", "setTimeout(() => process.exit(3), 1); await new Promise(() => {})", 3, "", ""},
		{"awaits what never settles and exits in a module", "import 'util'; setTimeout(() => process.exit(), 1); await new Promise(() => {})", 0, "", ""},
		{"exits before it awaits", "process.exit(); await 1", 0, "", ""},
		{"awaits what never settles and throws in a timer", "setTimeout(() => { throw new RangeError('t') }, 1); await new Promise(() => {})", 90, "", "RangeError: t"},
		{"awaits what settles when nothing else is left", "let go; process.once('beforeExit', () => setTimeout(go, 1, 5)); console.log(await new Promise((r) => { go = r }))", 0, "5\n", ""},
		{"awaits and leaves timers", "await 1; setTimeout(() => console.log('late'), 5); process.on('exit', (c) => console.log(c))", 0, "late\n0\n", ""},
		{"awaits what never settles below its top", "(async () => { await new Promise(() => {}) })(); console.log(await 1)", 0, "1\n", ""},
		{"returns a promise that never settles", "console.log(1); return new Promise(() => {})", 0, "1\n", ""},
		{"awaits what never settles and breaks what the harness would use", "Promise.prototype.then = Array.prototype[Symbol.iterator] = () => { throw 1 }; await new Promise(() => {})", 13, "", "unsettled top-level await"},
		{"returns at the top level", "console.log(1); return; console.log(2)", 0, "1\n", ""},
		{"awaits in the middle of an expression", "console.log(require.main === module, await 3)", 0, "true 3\n", ""},
		{"awaits and returns, and is not strict", "with ({a: 1}) { console.log(a, await 2) }\nreturn", 0, "1 2\n", ""},
		{"fails after an await in its first line at the right column", "await 1; null.x", 90, "", "/tmp/program.js:1\nawait 1; null.x\n              ^\n"},
		{"orders ticks, promises and timers", "setImmediate(() => console.log(5)); setTimeout(() => console.log(4)); Promise.resolve().then(() => console.log(3)); process.nextTick(() => console.log(2)); console.log(1); const t = Date.now(); while (Date.now() - t < 3);", 0, "1\n2\n3\n4\n5\n", ""},
		{"takes a line for a shell", "#!/usr/bin/env node\nconsole.log(1)", 0, "1\n", ""},
		{"takes a byte order mark", "\ufeffconsole.log(1)", 0, "1\n", ""},
		{"takes CRLF", "console.log(1)\r\nconsole.log(2)\r\n", 0, "1\n2\n", ""},
		{"prints a lone surrogate", "console.log('\\ud800')", 0, "\ufffd\n", ""},
		{"takes a program of one MiB", "//" + strings.Repeat("é", 1<<19-20) + "\nconsole.log(1)", 0, "1\n", ""},
		{"declares what a module has already", "const process = 1, exports_ = 2; let global = 3; console.log(process + global)", 0, "4\n", ""},
		{"is in sloppy mode", "x = 1; console.log(x, (function () { return this === globalThis })())", 0, "1 true\n", ""},
		{"measures by performance", "console.log(performance.now() > 0, performance.timeOrigin > 1e12)", 0, "true true\n", ""},
		{"replaces what writes", "const kept = []; process.stdout.write = (text) => { kept.push(text); return true }; console.log('x'); console.error(kept)", 0, "", "[ 'x\\n' ]\n"},
		{"writes much and waits for it", "process.stdout.write('x'.repeat(1 << 17), () => console.error('done'))", 0, strings.Repeat("x", 1<<17), "done"},
		{"reads the end of its input", "process.stdin.on('data', () => {}).on('end', () => console.log('end'))", 0, "end\n", ""},
		{"takes a listener away", "const f = () => console.log('no'); process.on('exit', f); process.off('exit', f); process.once('exit', () => console.log('yes'))", 0, "yes\n", ""},
		{"hears of a rejection", "process.on('unhandledRejection', (r, p) => console.log(r, p instanceof Promise)); Promise.reject(5)", 0, "5 true\n", ""},
		{"warns", "process.emitWarning('careful')", 0, "", "Warning: careful"},
		{"changes what inspect shows", "const u = require('util'); u.inspect.defaultOptions.depth = 0; console.log({a: {b: {}}}, u.promisify(setTimeout) instanceof Function)", 0, "{ a: [Object] } true\n", ""},
		{"replaces functions of modules", "require('util').format = () => 1; console.log('%d', 2, require('util').format())", 0, "2 1\n", ""},
		{"overrides methods by assignment", "function A() {} A.prototype.toString = () => 'a'; const e = new Error('x'); e.toString = () => 'e'; e.message = 'y'; const o = {}; o.hasOwnProperty = 1; console.log(`${new A()} ${e}`)", 0, "a e\n", ""},
		{"emits events of its own class", "const E = require('events'); class A extends E { go() { this.emit('x', 1) } } const a = new A(); a.on('x', console.log); a.go(); console.log(a instanceof E.EventEmitter)", 0, "1\ntrue\n", ""},
		{"clones", "console.log(structuredClone(new Map([[1, {a: [new Date(0)]}]])))", 0, "Map(1) { 1 => { a: [ 1970-01-01T00:00:00.000Z ] } }\n", ""},
		{"redefines the harness's names", "function send() {} function start() {} const host = 1, fs = 2; JSON.stringify = () => 'forged'; console.log(JSON.stringify(1))", 0, "forged\n", ""},
		{"breaks what the harness would use afterwards", "Array.prototype.filter = String.prototype.split = RegExp.prototype.exec = () => { throw 1 }; throw new Error('still')", 90, "", "still"},
		{"requires an allowed module by both names", "console.log(require('util') === require('node:util'), require('assert').ok(1))", 0, "true undefined\n", ""},
		{"digests", "console.log(require('crypto').createHash('sha256').update('a').digest('hex').slice(0, 8))", 0, "ca978112\n", ""},
		{"tells functions by instanceof", "console.log((() => 1) instanceof Function, typeof Function, (async () => 1) instanceof Function)", 0, "true function true\n", ""},
		{"writes and measures", "process.stdout.write('a\\n'); console.log(typeof process.hrtime.bigint(), process.memoryUsage().rss > 0, process.hrtime().length); process.nextTick(console.log, 'tick')", 0, "a\nbigint true 2\ntick\n", ""},
	}
	t.Run("restricted", func(t *testing.T) { checkRuns(t, javascriptLocked, strictJavaScript, both) })
	t.Run("unrestricted", func(t *testing.T) { checkRuns(t, javascript, openJavaScript, both) })
}

func TestJavaScriptUnrestricted(t *testing.T) {
	checkRuns(t, javascript, openJavaScript, []runRow{
		{"has all modules", "console.log(require('fs').existsSync('/'), require('os').EOL === '\\n')", 0, "true true\n", ""},
		{"imports dynamically", "import('node:fs').then((m) => console.log(typeof m.readFileSync))", 0, "function\n", ""},
		{"makes code from strings", "console.log(eval('1+1'), new Function('return 3')())", 0, "2 3\n", ""},
		{"output before a kill is kept", "console.log('kept'); process.kill(process.pid, 'SIGKILL')", -1, "kept\n", ""},
		{"the job socket is closed", "try { require('fs').writeSync(3, 'A') ; console.log('open') } catch (e) { console.log(e.code) }", 0, "EBADF\n", ""},
		{"imports by statements", "import fs, {readFileSync as r} from 'node:fs'\nimport * as os from 'os'\nconsole.log(fs.readFileSync === r, os.EOL === '\\n', import.meta.filename, typeof require)", 0, "true true /tmp/program.js undefined\n", ""},
		{"imports a name that is not there", "import {\n  nope} from 'util'", 90, "", "program.js:2\n  nope} from 'util'\n  ^^^^\n\nSyntaxError: The requested module 'util' does not provide an export named 'nope'"},
		{"imports code of its own, which cannot answer in the harness's place", "import 'data:text/javascript,import fs from \"fs\"; try { fs.writeSync(3, \"A\"); console.log(\"open\") } catch (e) { console.log(e.code) }'", 0, "EBADF\n", ""},
		{"awaits what never ends and exits", "import 'util'; setTimeout(() => process.exit(0), 1); await new Promise(() => {})", 0, "", ""},
		{"emits an exit of its own while it awaits", "process.on('exit', (c) => console.log(c)); setTimeout(() => process.emit('exit', 7), 1); await new Promise((r) => setTimeout(r, 9))", 0, "7\n0\n", ""},
		{"imports code that awaits what never settles", "import 'data:text/javascript,await new Promise(() => {})'", 13, "", "unsettled top-level await"},
		{"imports what is not there", "import x from './y.mjs'", 90, "", "Cannot find module '/tmp/y.mjs'"},
		{"imports its own directory", "import x from '.'", 90, "", "Directory import '/tmp/' is not supported"},
		{"imports the directory above", "import('..').catch((e) => console.log(e.code, e.message.split(\"'\")[1]))", 0, "ERR_UNSUPPORTED_DIR_IMPORT /\n", ""},
		{"throws an error of the policy's kind", "throw Object.assign(new Error('x'), {code: 'ERR_IMPORT_DENIED'})", 90, "", "ERR_IMPORT_DENIED"},
	})
}

func TestJavaScriptSyntaxErrors(t *testing.T) {
	rows := []struct {
		name         string
		code         string
		line, column uint32
		message      string
	}{
		{"an unexpected token", "let a = 1;\nlet b = ;", 2, 9, "Unexpected token ';'"},
		{"a column after wide characters", "let é = '\U0001f600'; 1 1", 1, 16, "Unexpected number"},
		{"a second declaration", "let a;\n\tlet a;", 2, 6, "already been declared"},
		{"an error in a module", "import 'util'\nlet b = ;", 2, 9, "Unexpected token ';'"},
		{"an import inside a function", "import 'util'\nfunction f() { import 'assert' }", 2, 23, "Unexpected string"},
		{"a name that is in a module twice", "import {inspect} from 'util'\nlet inspect", 2, 5, "already been declared"},
		{"an end of the function around it", "}); console.log('out'); (() => {", 1, 1, "Unexpected token '}'"},
		{"an end of the function around an await", "await 1 })(); console.log('out'); (async () => {", 1, 9, "Unexpected token '}'"},
		{"an end of it in what is no module", "with ({}) await 1 })(); console.log('out'); (async () => {", 1, 1, "Strict mode code may not include a with"},
		{"an unexpected token after an await", "await 1; let b = ;\n", 1, 18, "Unexpected token ';'"},
		{"an unexpected token in a line after an await", "await 1;\n let b = ;\n", 2, 10, "Unexpected token ';'"},
		{"an await in a function that is not async", "function f() { await 1 }", 1, 16, "reserved word"},
		{"a NUL", "let a;\nlet \x00b", 2, 5, "Invalid or unexpected token"},
		{"brackets 100,000 deep", strings.Repeat("(", 100000), 1, 1, "nested too deeply"},
	}
	for level, job := range map[string]func(string) wire.Job{"restricted": strictJavaScript, "unrestricted": openJavaScript} {
		for _, row := range rows {
			for _, i := range javascript.ways() { // how deep is too deep differs
				t.Run(level+", "+row.name+", "+string(i.way), func(t *testing.T) {
					t.Parallel()
					out := run(t, i, job(row.code))
					require.Equal(t, "S", string(rune(out.kind)), "%q %s", out.payload, out.stdout)
					line, column, message, err := wire.DecodeSyntaxError(out.payload)
					require.NoError(t, err)
					assert.Contains(t, message, row.message)
					assert.Equal(t, [2]uint32{row.line, row.column}, [2]uint32{line, column}, message)
					assert.Empty(t, out.stdout)
					assert.Empty(t, out.stderr)
				})
			}
		}
	}
}
