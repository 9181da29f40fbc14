package profiles_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
	"safe-exec/profiles"
)

// planted is an image whose JavaScript harness runs a line of the test's before
// its own: after its first statement, which makes it strict.
func planted(t *testing.T, line string) string {
	t.Helper()
	good, err := image()
	require.NoError(t, err)
	dir := openDir(t)
	for _, name := range []string{"safe_exec.node", "steady.bpf"} {
		require.NoError(t, os.Link(filepath.Join(good, name), filepath.Join(dir, name)))
	}
	text, err := os.ReadFile(filepath.Join(good, javascript.harness))
	require.NoError(t, err)
	const first = "'use strict';\n"
	require.True(t, strings.HasPrefix(string(text), first))
	text = []byte(first + "{ " + line + " }" + string(text[len(first)-1:]))
	require.NoError(t, os.WriteFile(filepath.Join(dir, javascript.harness), text, 0o644))
	return dir
}

// What must not be reached, by the expression that gives it to the harness.
var outside = []string{
	"globalThis.process", "require", "module", "module.constructor", "require('module')", "require('module').prototype", "globalThis.process.mainModule",
	"Object.getPrototypeOf(globalThis.process)", "globalThis.process.binding", "globalThis.process.dlopen", "globalThis.process._linkedBinding",
	"globalThis.process.reallyExit", "globalThis.process.env", "globalThis.process.getBuiltinModule", "globalThis.process.kill", "globalThis.process.report",
	"require('fs')", "require('fs').readFileSync", "require('fs').writeSync", "require('fs').open", "require('fs').ReadStream", "require('fs').promises",
	"require('vm')", "require('vm').Script", "require('vm').compileFunction", "require('vm').SourceTextModule", "require('child_process').spawn",
	"require('net').Socket", "require('tty').WriteStream", "require('worker_threads').Worker", "require('v8').setFlagsFromString", "require('async_hooks').createHook",
	"require('internal/test/binding').internalBinding", "require('internal/test/binding').internalBinding('fs')", "require('internal/test/binding').internalBinding('contextify')",
	"require('internal/fs/promises').FileHandle", "eval", "Function", "(async () => {}).constructor", "(function* () {}).constructor", "(async function* () {}).constructor",
	"WebAssembly", "console", "performance", "fetch", "MessageChannel", "MessagePort", "PerformanceObserver",
}

func TestJavaScriptReachesNothingOutside(t *testing.T) {
	plant := "const warn = globalThis.process.emitWarning; globalThis.process.emitWarning = () => {}; Object.defineProperty(Object, 'planted', {value: new WeakMap([\n"
	for _, expression := range outside {
		name, err := json.Marshal(expression)
		require.NoError(t, err)
		plant += "[" + expression + ", " + string(name) + "],\n"
	}
	plant += "].filter(([object]) => object))}); globalThis.process.emitWarning = warn;"
	dir := planted(t, plant)
	code, err := os.ReadFile("testdata/javascript/reach.js")
	require.NoError(t, err)
	all, err := profiles.Default()
	require.NoError(t, err)

	reach := func(t *testing.T, run way, level policy.Level, modules []string) []string {
		list, err := json.Marshal(modules)
		require.NoError(t, err)
		out := run(t, dir, javascript, jobOf(level, "const MODULES = "+string(list)+";\n"+string(code)))
		require.Equal(t, "A", string(rune(out.kind)), "%q", out.payload)
		var found struct {
			Seen    int
			Reached []string
		}
		lines := strings.Split(strings.TrimSpace(out.stdout), "\n")
		require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &found), "%s%s", out.stdout, out.stderr)
		assert.Greater(t, found.Seen, 2000, "it walked too little to prove anything")
		assert.Zero(t, out.exit, out.stderr)
		return found.Reached
	}
	profile := all[string(policy.JavaScript)]
	for start, way := range ways(policy.JavaScript) {
		for name, level := range profile.Levels {
			if level.Unrestricted {
				reached := strings.Join(reach(t, way, level, []string{"util"}), "\n")
				for _, expression := range []string{"globalThis.process by", "require('fs') by denied", "Function by", "eval by", "require('net').Socket by", "require('internal/fs/promises').FileHandle by forged"} {
					assert.Contains(t, reached, expression, "the control at level %s, %s", name, start)
				}
				continue
			}
			t.Run(name+", "+start, func(t *testing.T) { assert.Empty(t, reach(t, way, level, level.Imports)) })
		}
	}
}
