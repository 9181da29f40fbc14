package profiles_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
)

func TestJavaScriptProgramFindsWhatItWasGiven(t *testing.T) {
	everywhere := []runRow{
		{"reads text", "const w = require('workdir'); console.log(JSON.stringify(w.readText('a.txt')))", 0, `"one\r\ntwo é\n"` + "\n", ""},
		{"reads bytes", "const w = require('workdir'); const b = w.readBytes('d/e/b.bin'); console.log(b, Object.getPrototypeOf(b) === Uint8Array.prototype, b.buffer.byteLength, w.readBytes('empty').length)", 0, "Uint8Array(3) [ 0, 255, 10 ] true 3 0\n", ""},
		{"lists files", "import {listFiles} from 'workdir'; console.log(listFiles().join())", 0, ".stdin,a.txt,d/e/b.bin,empty\n", ""},
		{"reads its input whole", "const w = require('workdir'); console.log([w.stdin(), w.stdin()])", 0, `[ 'first\nsecond é\n', '' ]` + "\n", ""},
		{"reads its input as a stream", "let all = ''; process.stdin.setEncoding('utf8').on('data', (c) => { all += c }).on('end', () => console.log(JSON.stringify(all)))", 0, `"first\nsecond é\n"` + "\n", ""},
		{"iterates over its input", "let n = 0; for await (const part of process.stdin) n += part.length; console.log(n, process.stdin.fd)", 0, "16 0\n", ""},
		{"reads arguments and variables", "import workdir, {args, env} from 'workdir'; console.log(JSON.stringify([args, Object.entries(env).sort()]), args === workdir.args)", 0, `[["-v","","é"],[["EMPTY",""],["NAME","value é"],["__proto__","p"]]] true` + "\n", ""},
		{"writes text and bytes and reads them", "const w = require('workdir'); w.writeText('out/x/t', 'é\\n'); w.writeBytes('b', new Uint8Array(3)); w.writeBytes('c', new Uint16Array([1, 2]).subarray(1)); w.writeBytes('d/f', Buffer.from('x')); console.log(w.readBytes('out/x/t'), w.readBytes('b'), w.readBytes('c'), w.readText('d/f'))", 0, "Uint8Array(3) [ 195, 169, 10 ] Uint8Array(3) [ 0, 0, 0 ] Uint8Array(2) [ 2, 0 ] x\n", ""},
		{"replaces a file it was given", "const w = require('workdir'); w.writeText('a.txt', 'x'); console.log(w.readText('./a.txt'))", 0, "x\n", ""},
		{"removes a file", "const w = require('workdir'); w.remove('d//e/b.bin'); console.log(w.listFiles().length)", 0, "3\n", ""},
		{"writes much", "const w = require('workdir'); w.writeBytes('big', new Uint8Array(1 << 22)); console.log(w.readBytes('big').length, w.writeText('t', 'é'.repeat(1 << 20)), w.readText('t').length)", 0, "4194304 undefined 1048576\n", ""},
		{"imports it when it runs", "import('workdir').then((w) => console.log(w.default.args === w.args, w.readText('empty')))", 0, "true \n", ""},
		{"imports it in a module when it runs", "import 'util'; const w = await import('workdir'); console.log(w.listFiles().length)", 0, "4\n", ""},
		{"misses a file", "require('workdir').readText('no/such')", 90, "", "Error: ENOENT: no such file or directory, open 'no/such'\n"},
		{"misses a file and goes on", "try { require('workdir').remove('none') } catch (e) { console.log(e.code, e.path) }", 0, "ENOENT none\n", ""},
		{"reads a directory", "try { require('workdir').readText('d') } catch (e) { console.log(e.code) }", 0, "EISDIR\n", ""},
		{"reads the working directory", "try { require('workdir').readText('./') } catch (e) { console.log(e.code, e.message) }", 0, "EISDIR EISDIR: illegal operation on a directory, open './'\n", ""},
		{"writes below a file", "try { require('workdir').writeText('a.txt/b', '') } catch (e) { console.log(e.code) }", 0, "ENOTDIR\n", ""},
		{"reads elsewhere", "require('workdir').readText('/etc/passwd')", 90, "", "Error: EPERM: a program has the files of its working directory only, by relative paths, open '/etc/passwd'\n"},
		{"reads above", "try { require('workdir').readText('d/../../x') } catch (e) { console.log(e.code, e.path, e.syscall) }", 0, "EPERM d/../../x open\n", ""},
		{"names no text", "try { require('workdir').readText(Buffer.from('a.txt')) } catch (e) { console.log(e.name, e.code) }", 0, "TypeError ERR_INVALID_ARG_TYPE\n", ""},
		{"names no text, but a descriptor", "try { require('workdir').readText(0) } catch (e) { console.log(e.code) }", 0, "ERR_INVALID_ARG_TYPE\n", ""},
		{"writes no bytes", "try { require('workdir').writeBytes('x', 'text') } catch (e) { console.log(e.code) }", 0, "ERR_INVALID_ARG_TYPE\n", ""},
		{"has broken what the helper might use", "const w = require('workdir'); const no = () => { throw 1 }; String.prototype.split = String.prototype.slice = String.prototype.startsWith = Array.prototype.sort = Array.prototype[Symbol.iterator] = Uint8Array.prototype.slice = Buffer.from = Reflect.apply = no; w.writeText('n/x', 'y'); console.log(w.readText('n/x') + w.stdin().length + w.listFiles().length)", 0, "y155\n", ""},
	}
	lists := append(everywhere, runRow{"has arguments and variables nowhere else", "console.log(process.argv.length, process.env.NAME)", 0, "2 undefined\n", ""},
		runRow{"names a path by what answers otherwise", "try { require('workdir').readText({toString: () => 'a.txt'}) } catch (e) { console.log(e.code) }", 0, "ERR_INVALID_ARG_TYPE\n", ""})
	t.Run("strict", func(t *testing.T) { checkRuns(t, javascriptLocked, withInput(strictJavaScript), lists) })
	t.Run("relaxed", func(t *testing.T) {
		checkRuns(t, javascript, withInput(openJavaScript), append(everywhere, []runRow{
			{"opens the files", "const fs = require('fs'); console.log(fs.readFileSync('a.txt', 'utf8').length, fs.readFileSync('d/e/b.bin'))", 0, "11 <Buffer 00 ff 0a>\n", ""},
			{"has arguments where a bare run has them", "console.log(process.argv.slice(1))", 0, "[ '/tmp/program.js', '-v', '', 'é' ]\n", ""},
			{"has variables where a bare run has them", "console.log(process.env.NAME, process.env.EMPTY === '', process.env.HOME)", 0, "value é true /tmp\n", ""},
			{"reads its input by descriptor", "console.log(JSON.stringify(require('fs').readFileSync(0, 'utf8')))", 0, `"first\nsecond é\n"` + "\n", ""},
			{"reads its input by lines", "require('readline').createInterface({input: process.stdin}).on('line', (l) => console.log(`<${l}>`))", 0, "<first>\n<second é>\n", ""},
			{"cannot write to its input", "try { require('fs').writeSync(0, 'x') } catch (e) { console.log(e.code) }", 0, "EBADF\n", ""},
			{"asks another module for it", "const m = require('module').createRequire('/tmp/x.js'); console.log(m('workdir') === require('workdir'))", 0, "true\n", ""},
			{"requires what is no name", "try { require(3) } catch (e) { console.log(e.code) }", 0, "ERR_INVALID_ARG_TYPE\n", ""},
		}...))
	})
}

// A program that is given nothing is as it was.
func TestJavaScriptProgramThatIsGivenNothing(t *testing.T) {
	rows := []runRow{
		{"has no files, input, arguments or variables", "const w = require('workdir'); console.log(w.listFiles(), [w.stdin()], w.args, w.env)", 0, "[] [ '' ] [] {}\n", ""},
		{"has no input to wait for", "process.stdin.on('data', () => console.log('data')).on('end', () => console.log('end'))", 0, "end\n", ""},
	}
	t.Run("strict", func(t *testing.T) { checkRuns(t, javascriptLocked, strictJavaScript, rows) })
	t.Run("relaxed", func(t *testing.T) { checkRuns(t, javascript, openJavaScript, rows) })
}

func TestJavaScriptPointsToWorkdirWhereItRefusesFiles(t *testing.T) {
	for _, row := range []struct{ name, code, want string }{
		{"fs", "require('fs')", `use workdir: require("workdir").readText("name")`},
		{"fs/promises", "import fs from 'node:fs/promises'", `use workdir: require("workdir").readText("name")`},
		{"readline", "require('readline')", `require("workdir").stdin()`},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, i := range javascriptLocked.oneWay() { // the check sees the text and the lists, whatever was made ready
				out := run(t, i, strictJavaScript(row.code))
				require.Equal(t, "V", string(rune(out.kind)))
				list, err := wire.DecodeViolations(out.payload)
				require.NoError(t, err)
				assert.Contains(t, list[0].Message, row.want)
			}
		})
	}
}
