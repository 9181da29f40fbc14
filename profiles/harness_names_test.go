package profiles_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
)

// named gives programs files whose names look like something else.
func named(job func(string) wire.Job) func(string) wire.Job {
	return func(code string) wire.Job {
		j := job(code)
		for _, path := range []string{"..data", "...", "a..b/x", "d/..e/.f", "random.py", "workdir.py", "json/__init__.py", "sitecustomize.py", "fs.js", "util/index.js", "node_modules/util/index.js"} {
			j.Files = append(j.Files, wire.File{Path: path, Content: []byte("raise SystemExit(77)")})
		}
		return j
	}
}

func TestOnlyTheWholeNameOfTwoDotsIsAWayUpInPython(t *testing.T) {
	everywhere := []runRow{
		{"reads names with dots", "import workdir as w\nprint({len(w.read_text(p)) for p in ('..data', '...', 'a..b/x', 'd/..e/.f', './..data', 'd//..e/./.f')})", 0, "{20}\n", ""},
		{"writes and removes them", "import workdir as w\nfor p in ('..x', '....', 'v1..v2/x', 'n/..', 'n../...', '. .', '.. ', ' ..'):\n    try: w.write_text(p, p); print(w.read_text(p) == p, end=' '); w.remove(p)\n    except PermissionError as e: print(e.errno, end=' ')", 0, "True True True 1 True True True True ", ""},
		{"reaches nothing above", "import workdir as w\nfor p in ('..', '../x', 'a/..', 'a/../x', '/..', '//x', './../x', 'd/../..data'):\n    for f in (w.read_text, w.remove, lambda p: w.write_text(p, '')):\n        try: f(p); print('reached', p)\n        except PermissionError as e: assert e.filename == p, e", 0, "", ""},
		{"has an error for a name without a form in UTF-8", "import workdir as w\nbefore = w.list_files()\nfor p in ('\\ud800', '\\udc80', 'a\\udcff/x', 'a/\\udfff', '..\\udc2f'):\n    for f in (w.read_text, w.read_bytes, w.remove, lambda p: w.write_text('new/' + p, ''), lambda p: w.write_bytes(p, b'')):\n        try: f(p); print('taken')\n        except UnicodeEncodeError as e: assert e.reason == 'surrogates not allowed', e\nprint(w.list_files() == before)", 0, "True\n", ""},
		{"shows that error as a bare run does", "import workdir\nworkdir.read_text('\\udc80')", 90, "", "UnicodeEncodeError: 'utf-8' codec can't encode character '\\udc80' in position 0: surrogates not allowed\n"},
		{"has an error for a name with a NUL", "import workdir as w\nfor f in (w.read_text, w.remove, lambda p: w.write_text(p, '')):\n    try: f('..\\0')\n    except ValueError as e: print(e)", 0, "embedded null byte\nembedded null byte\nembedded null byte\n", ""},
		{"imports the library's modules whatever its files are called", "import random, json, workdir\nprint(random.Random(1).random() < 1, json.dumps([]), workdir.read_text('random.py')[:5])", 0, "True [] raise\n", ""},
	}
	library := append(everywhere[:len(everywhere):len(everywhere)],
		runRow{"writes and reads a tree by such a name", "import xml.etree.ElementTree as t\nt.ElementTree(t.Element('a')).write('a..b/..t')\nprint(t.parse('a..b/..t').getroot().tag)", 0, "a\n", ""},
		runRow{"has an error for a tree without a name in UTF-8", "import xml.etree.ElementTree as t\ntry: t.parse('\\udc80')\nexcept UnicodeEncodeError: print('no name')\ntry: t.parse('a/../..data')\nexcept PermissionError: print('above')", 0, "no name\nabove\n", ""})
	t.Run("strict", func(t *testing.T) { checkRuns(t, python, named(strictPython), library) })
	t.Run("standard", func(t *testing.T) {
		checkRuns(t, python, named(pythonAt(t, "standard")), append(library,
			runRow{"asks for a time zone by such a name", "import zoneinfo\nfor n in ('..data', 'Europe/...', 'No/..x', '\\udc80'):\n    try: zoneinfo.ZoneInfo(n)\n    except (zoneinfo.ZoneInfoNotFoundError, UnicodeEncodeError): print('none', end=' ')", 0, "none none none none ", ""}))
	})
	t.Run("relaxed", func(t *testing.T) { checkRuns(t, python, named(openPython), everywhere) })
}

// A frame is the harness's by its whole file, and an error the engine's by its whole
// message.
func TestJavaScriptErrorsKeepWhatOnlyLooksLikeOurs(t *testing.T) {
	dir, err := image()
	require.NoError(t, err)
	ours := dir + "/harness.js"
	checkRuns(t, javascriptLocked, strictJavaScript, []runRow{ // the engine's own is in TestJavaScriptEngineMakesNoCodeFromStrings
		{"a message that is much like the engine's", "throw new EvalError('no Code generation from strings here')", 90, "", "EvalError: no Code generation from strings here"},
	})
	for _, i := range javascript.ways() {
		out := run(t, i, strictJavaScript("throw new Error('see\\n  "+ours+":1\\nthere')"))
		assert.Contains(t, out.stderr, "Error: see\n  "+ours+":1\nthere\n", "a line of the message")
	}
}

func TestOnlyTheWholeNameOfTwoDotsIsAWayUpInJavaScript(t *testing.T) {
	rows := []runRow{
		{"reads names with dots", "const w = require('workdir'); console.log(['..data', '...', 'a..b/x', 'd/..e/.f', './..data', 'd//..e/./.f'].every((p) => w.readText(p).length === 20))", 0, "true\n", ""},
		{"writes and removes them", "const w = require('workdir'); for (const p of ['..x', '....', 'v1..v2/x', 'n../...', '. .', '.. ', ' ..']) { w.writeText(p, p); if (w.readText(p) !== p) throw p; w.remove(p); } console.log(w.listFiles().length)", 0, "11\n", ""},
		{"reaches nothing above", "const w = require('workdir'); for (const p of ['..', '../x', 'a/..', 'a/../x', '/..', '//x', './../x', 'd/../..data', 'n/..']) { for (const f of [w.readText, w.remove, (p) => w.writeText(p, '')]) { try { f(p); console.log('reached', p); } catch (e) { if (e.code !== 'EPERM' || e.path !== p) throw e; } } }", 0, "", ""},
		{"names with what has no form in UTF-8 as a bare run does", "const w = require('workdir'); w.writeText('\\ud800x', 'y'); console.log(w.readText('\\ufffdx'))", 0, "y\n", ""},
		{"has an error for a name with a NUL", "const w = require('workdir'); for (const f of [w.readText, w.remove, (p) => w.writeText(p, '')]) { try { f('..\\0'); } catch (e) { console.log(e.code); } }", 0, "ERR_INVALID_ARG_VALUE\nERR_INVALID_ARG_VALUE\nERR_INVALID_ARG_VALUE\n", ""},
		{"imports the engine's modules whatever its files are called", "const w = require('workdir'); console.log(require('util').inspect([]), w.readText('fs.js').slice(0, 5)); import('util').then((u) => console.log(u.inspect([])))", 0, "[] raise\n[]\n", ""},
	}
	t.Run("strict", func(t *testing.T) { checkRuns(t, javascriptLocked, named(strictJavaScript), rows) })
	t.Run("relaxed", func(t *testing.T) { checkRuns(t, javascript, named(openJavaScript), rows) })
}
