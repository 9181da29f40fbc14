package profiles_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
)

// refusals gives the places of a rejected program as "line:column rule name", one
// a line; above are lines before it that do not count.
func refusals(t *testing.T, out outcome, above uint32) string {
	t.Helper()
	require.Equal(t, "V", string(rune(out.kind)), "%q %s %s", out.payload, out.stdout, out.stderr)
	list, err := wire.DecodeViolations(out.payload)
	require.NoError(t, err)
	var got []string
	for _, v := range list {
		got = append(got, fmt.Sprintf("%d:%d %s %s", v.Line-above, v.Column, v.Rule, v.Name))
		assert.NotEmpty(t, v.Message)
	}
	assert.Empty(t, out.stdout, "it ran")
	assert.Empty(t, out.stderr)
	return strings.Join(got, "\n")
}

func TestJavaScriptPolicyRefusesBeforeRunning(t *testing.T) {
	rows := []struct {
		name string
		code string
		want string // "line:column rule name", one a line
	}{
		{"a blocked module", "require('fs')", "1:1 import_blocked fs"},
		{"a blocked module by its other name", "const c = require(\"node:child_process\")", "1:11 import_blocked node:child_process"},
		{"a module below a blocked one", "require('fs/promises')", "1:1 import_blocked fs/promises"},
		{"a module that is not on the list", "require('zlib')", "1:1 import_not_allowed zlib"},
		{"a package", "require('lodash')", "1:1 import_not_allowed lodash"},
		{"a file", "require('./other.js')", "1:1 import_not_allowed ./other.js"},
		{"an absolute path", "require('/usr/lib/safe-exec/safe_exec.node')", "1:1 import_not_allowed /usr/lib/safe-exec/safe_exec.node"},
		{"an internal module", "require('internal/bootstrap/realm')", "1:1 import_not_allowed internal/bootstrap/realm"},
		{"a name in a template", "require(`fs`)", "1:1 import_blocked fs"},
		{"a name in two parts", "require('f' + 's')", "1:1 import_blocked fs"},
		{"a name with an escape", "require('f\\x73')", "1:1 import_blocked fs"},
		{"a name after a needless backslash", "require('\\fs'.slice(9) || 1); require('o\\s')", "1:31 import_blocked os"},
		{"a name with an octal escape", "require('\\146s')", "1:1 import_blocked fs"},
		{"a name over two lines", "require('f\\\ns')", "1:1 import_blocked fs"},
		{"a name after a comment that ends in a backslash", "// \\\nrequire('fs')", "2:1 import_blocked fs"},
		{"eval with an escape after such a comment", "//a\\\n\\u0065val('1')", "2:1 name_blocked eval"},
		{"the same with the other ends of lines", "//a\\\r\n\\u0065val('1') //a\\\u2028\\u0065val('1') //a\\\u2029\\u0065val('1')", "2:1 name_blocked eval\n3:1 name_blocked eval\n4:1 name_blocked eval"},
		{"a name with a long escape", "[]['c\\u{00006f}nstructor'].constructor", "1:1 attribute_blocked constructor"},
		{"eval written with an escape", "\\u{65}val('1')", "1:1 name_blocked eval"},
		{"require written with an escape", "r\\u0065quire('fs')", "1:1 import_blocked fs"},
		{"require after a comment", "require /* yes */ ('fs')", "1:1 import_blocked fs"},
		{"require by way of the main module", "module.require('fs')", "1:1 import_blocked fs"},
		{"a module inside a function that never runs", "function f() {\n  require('os')\n}", "2:3 import_blocked os"},
		{"an import statement", "import fs from 'fs'", "1:16 import_blocked fs"},
		{"an import for its effects", "import 'node:os'", "1:8 import_blocked node:os"},
		{"an import statement of names", "import {readFile as r} from 'fs/promises'\nr()", "1:29 import_blocked fs/promises"},
		{"an export from a module", "export * from 'vm'; export {x} from 'net'", "1:15 import_blocked vm\n1:37 import_blocked net"},
		{"an import call", "import('fs').then(console.log)", "1:1 import_blocked fs"},
		{"an import call after a comment", "import/**/('fs')", "1:1 import_blocked fs"},
		{"an import call with an await", "const f = await import('node:fs')", "1:17 import_blocked node:fs"},
		{"eval", "eval('1')", "1:1 name_blocked eval"},
		{"eval under another name", "const e = eval; (0, eval)('1')", "1:11 name_blocked eval\n1:21 name_blocked eval"},
		{"eval as a property of the global object", "globalThis.eval('1'); global['eval']('1')", "1:1 name_blocked eval\n1:23 name_blocked eval"},
		{"a new Function", "new Function('return 1')", "1:5 name_blocked Function"},
		{"a call of Function", "const f = Function('return 1')", "1:11 name_blocked Function"},
		{"the constructor of a function", "(() => {}).constructor('return 1')", "1:1 attribute_blocked constructor"},
		{"the constructor of an async generator", "(async function* () {})['constructor']('')", "1:1 attribute_blocked constructor"},
		{"the constructor of a constructor", "[].constructor.constructor('return process')()", "1:1 attribute_blocked constructor"},
		{"the same behind needless backslashes", "const a = []['con\\structor']['\\constructor']", "1:11 attribute_blocked constructor"},
		{"a constructor that is called with a text", "console.log.constructor('return 1')", "1:1 attribute_blocked constructor"},
		{"a network call", "fetch('http://x').then(r => r.json())", "1:1 name_blocked fetch"},
		{"WebAssembly", "const m = new WebAssembly.Module(x)", "1:15 name_blocked WebAssembly"},
		{"the bindings of process", "process.binding('fs')", "1:1 attribute_blocked process.binding"},
		{"a built-in module by process", "process['getBuiltinModule']('fs')", "1:1 attribute_blocked process.getBuiltinModule"},
		{"the loader by process", "process.mainModule.require('fs')", "1:1 attribute_blocked process.mainModule"},
		{"a signal", "process.kill(1)", "1:1 attribute_blocked process.kill"},
		{"the engine of the digests", "require('crypto').setEngine('x')", "1:1 attribute_blocked crypto.setEngine"},
		{"the same by its parts", "const {setEngine, createHash} = require('crypto')", "1:8 attribute_blocked crypto.setEngine"},
		{"the same by an import statement", "import {createHash, setFips as f} from 'node:crypto'", "1:21 attribute_blocked crypto.setFips"},
		{"the column after wide characters", "let é = '\U0001f600'; require('fs')", "1:14 import_blocked fs"},
		{"the line after all kinds of line ends", "1\r\n2\r3\u20284\n require('fs')", "5:2 import_blocked fs"},
		{"all places, in their order", "import 'util'\nimport fs from 'fs'\neval(process.env)\nprocess.binding(); require('os')", "2:16 import_blocked fs\n3:1 name_blocked eval\n4:1 attribute_blocked process.binding\n4:20 import_blocked os"},
		{"all places of a script", "eval(require('fs'), fetch)\nnew Function()", "1:1 name_blocked eval\n1:6 import_blocked fs\n1:21 name_blocked fetch\n2:5 name_blocked Function"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, i := range javascript.oneWay() { // the check sees the text and the lists, whatever was made ready
				assert.Equal(t, row.want, refusals(t, run(t, i, strictJavaScript(row.code)), 0))
			}
		})
	}
}

func TestJavaScriptPolicyLetsHonestProgramsPass(t *testing.T) {
	checkRuns(t, javascript, strictJavaScript, []runRow{
		{"escapes that hide nothing", "console.log('\\u2014 \\x41 \\\\eval \\0'.length, /(a)\\1\\neval/.test('x'))", 0, "11 false\n", ""},
		{"an allowed module by both names", "console.log(require('util') === require('node:util'))", 0, "true\n", ""},
		{"a name that is only a text", "console.log('require(\"fs\"), eval, process.binding')", 0, "require(\"fs\"), eval, process.binding\n", ""},
		{"a comment", "// import fs from 'fs'; eval()\n/* new Function() */ console.log(1)", 0, "1\n", ""},
		{"methods with blocked names", "class A { eval() { return 1 } require(x) { return x } static fetch = () => 2 }\nconst a = new A(); console.log(a.eval(), a.require('fs'), A.fetch(), {process: 3}.process)", 0, "1 fs 2 3\n", ""},
		{"functions with blocked names", "async function fetch(u) { return u }\nfetch('u').then(console.log)", 0, "u\n", ""},
		{"a parameter with a blocked name", "const f = (eval_, Function_, process) => process.kill\nconsole.log(f(1, 2, {kill: 3}))", 0, "3\n", ""},
		{"a require of its own", "(function (require) { console.log(require('fs')) })(x => x)", 0, "fs\n", ""},
		{"a question whether there is a network", "if (typeof fetch === 'function') fetch('x'); console.log(typeof WebAssembly)", 0, "undefined\n", ""},
		{"what functions are", "const f = () => 1; console.log(f instanceof Function, f.constructor === Function, Function.prototype.call.call(f), typeof Function, f.constructor.name)", 0, "true true 1 function Function\n", ""},
		{"a class that makes its kind", "class A { constructor(x) { this.x = x } next() { return new this.constructor(this.x + 1) } }\nconsole.log(new A(1).next().x, new A(1).constructor.name, [].constructor === Array)", 0, "2 A true\n", ""},
	})
}

func TestJavaScriptModules(t *testing.T) {
	checkRuns(t, javascriptLocked, strictJavaScript, []runRow{
		{"all forms of statements", "import util, {inspect as i} from 'util'\nimport * as assert from 'node:assert'\nimport 'events'\nexport const a = 1\nexport default function f() { return i({a}) }\nexport * from 'buffer'\nassert.ok(util.inspect === i && assert.default)\nconsole.log(f(), this, typeof require, import.meta.url)", 0, "{ a: 1 } undefined undefined file:///tmp/program.js\n", ""},
		{"an import below its use", "console.log(inspect(1)); import {inspect} from 'util'", 0, "1\n", ""},
		{"an assignment to what is imported", "import {inspect} from 'util'\ninspect = 1", 90, "", "TypeError: Assignment to constant variable"},
		{"strict mode", "export {}\nx = 1", 90, "", "ReferenceError: x is not defined"},
		{"a name that scripts have", "import {fileURLToPath} from 'url'\nconst __filename = fileURLToPath(import.meta.url), module = 1, exports = 2\nconsole.log(__filename)", 0, "/tmp/program.js\n", ""},
		{"an error with its place", "import 'util'\n\nnull.x", 90, "", "/tmp/program.js:3\nnull.x\n     ^\n\nTypeError: Cannot read"},
		{"an await", "import 'util'\nconst x = await new Promise((r) => setTimeout(r, 1, 5)); console.log(x)", 0, "5\n", ""},
		{"an await that never ends", "import 'util'\nawait new Promise(() => {})", 13, "", "unsettled top-level await"},
		{"an export and an await", "await 1; export const a = 1; console.log(a)", 0, "1\n", ""},
		{"import calls", "import {types} from 'util'\nconst a = import('assert'), b = await import('node:assert'); console.log(await a === b, types.isPromise(a))", 0, "true true\n", ""},
		{"an import call in a script", "import('util').then((m) => console.log(m.format('%s', 1), Object.prototype.toString.call(m), typeof require))", 0, "1 [object Module] function\n", ""},
		{"an import call with an await", "const {default: u, inspect} = await import('node:util'); console.log(u.inspect === inspect, require('util') === u)", 0, "true true\n", ""},
		{"an import call's error with its place", "const m = ['x']; import('util'); (await import('util')).nope()", 90, "", "/tmp/program.js:1\nconst m = ['x']; import('util'); (await import('util')).nope()"},
		{"process as a module", "import process, {argv} from 'node:process'\nconsole.log(process === globalThis.process, argv === process.argv)", 0, "true true\n", ""},
		{"a line for a shell", "#!/usr/bin/env node\nimport 'util'; console.log(1)", 0, "1\n", ""},
	})
}
