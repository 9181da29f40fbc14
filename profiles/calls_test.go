package profiles_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
	"safe-exec/profiles"
)

// Files of calls hold at least one call of every public function, class and
// method of a module that a level allows; testdata/calls/rows.py says how they
// are read. What such a program prints under the level must be what it prints
// under the bare interpreter.

// calls is what rows.py makes of one file.
type calls struct {
	Program   string   `json:"program"`
	Uncovered []string `json:"uncovered"`
}

func readCalls(t *testing.T, module, file string) calls {
	t.Helper()
	text, err := filepath.Abs(file)
	require.NoError(t, err)
	var c calls
	require.NoError(t, json.Unmarshal([]byte(barePython(t, "testdata/calls/rows.py", module, text)), &c))
	require.NotEmpty(t, c.Program)
	return c
}

// barePython runs a script under the interpreter of the host, with the flags
// that the harness is started with, and gives what it prints.
func barePython(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(python.path(t), append([]string{"-I", "-S", "-B", "-X", "utf8"}, args...)...)
	cmd.Env = []string{"LANG=C.UTF-8", "PATH=/usr/bin"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "%s", &stderr)
	return stdout.String()
}

// bare runs a program under the interpreter of the host.
func bare(t *testing.T, program string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program.py")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
	return barePython(t, file)
}

// pythonLevels are the levels with an import list, the shorter list first.
func pythonLevels(t *testing.T) map[string]policy.Level {
	t.Helper()
	all, err := profiles.Default()
	require.NoError(t, err)
	levels := maps.Clone(all[string(policy.Python)].Levels)
	maps.DeleteFunc(levels, func(_ string, l policy.Level) bool { return l.Unrestricted })
	return levels
}

// bareModules are those that a bare interpreter has as well. The one that it has
// not is held to tables of its own.
func bareModules(l policy.Level) []string {
	return slices.DeleteFunc(slices.Clone(l.Imports), func(module string) bool { return module == "workdir" })
}

func TestEveryPublicFunctionOfAnAllowedModuleDoesWhatItDoesBare(t *testing.T) {
	levels := pythonLevels(t)
	patterns := uncovered(t)
	for _, level := range slices.Sorted(maps.Keys(levels)) {
		for _, module := range bareModules(levels[level]) {
			file := filepath.Join("testdata/calls/standard", module+".calls")
			if slices.Contains(levels["strict"].Imports, module) {
				file = filepath.Join("testdata/calls/strict", module+".calls")
			}
			t.Run(level+" "+module, func(t *testing.T) {
				t.Parallel()
				require.FileExists(t, file, "write calls for the module that the level allows")
				c := readCalls(t, module, file)
				for _, name := range c.Uncovered {
					i := fitting(t, patterns, module+"."+name)
					assert.GreaterOrEqual(t, i, 0, "%s: no row of %s calls %s, and testdata/calls/uncovered has no reason", module, file, name)
				}
				want := bare(t, c.Program)
				require.NotEmpty(t, want)
				for _, i := range python.ways() {
					out := run(t, i, jobOf(levels[level], c.Program))
					require.Equal(t, "A", string(rune(out.kind)), "%q", out.payload)
					assert.Equal(t, 0, out.exit, out.stderr)
					wantSameLines(t, want, out.stdout, file+", "+string(i.way))
				}
			})
		}
	}
}

// wantSameLines names the first lines that differ, each with the row behind it.
func wantSameLines(t *testing.T, want, got, file string) {
	t.Helper()
	if want == got {
		return
	}
	wanted, gotten := strings.Split(want, "\n"), strings.Split(got, "\n")
	const most = 10
	shown := 0
	for i := range min(len(wanted), len(gotten)) {
		if wanted[i] != gotten[i] && shown < most {
			shown++
			t.Errorf("%s, line %d of the output\n bare: %s\n here: %s", file, i+1, cut(wanted[i]), cut(gotten[i]))
		}
	}
	if len(wanted) != len(gotten) || shown == 0 {
		t.Errorf("%s: %d lines bare, %d here", file, len(wanted), len(gotten))
	}
}

func cut(line string) string {
	if len(line) > 600 {
		return line[:600] + "..."
	}
	return line
}

// fitting is the index of the first pattern that a name fits, or -1.
func fitting(t *testing.T, patterns []string, name string) int {
	return slices.IndexFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		require.NoError(t, err)
		return ok
	})
}

// uncovered reads the patterns of names that need no row; each has a reason.
func uncovered(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/calls/uncovered")
	require.NoError(t, err)
	var patterns []string
	for line := range strings.Lines(string(text)) {
		pattern, reason, _ := strings.Cut(line, "#")
		if pattern = strings.TrimSpace(pattern); pattern != "" {
			require.NotEmpty(t, strings.TrimSpace(reason), pattern)
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

// describe is a program that prints of every public name of a module what
// help and a debugger would show.
const describe = `import %s as m
for name in sorted(vars(m)):
    value = vars(m)[name]
    if name[0] != "_" and type(value).__name__ != "module":
        shown = [type(value).__name__]
        for look in (lambda: value.__doc__, lambda: value.__name__, lambda: value.__qualname__, lambda: value.__module__):
            try:
                shown.append(look())
            except AttributeError:
                shown.append(None)
        print(name, shown)
`

func TestPublicNamesLookAsTheyDoBare(t *testing.T) {
	levels := pythonLevels(t)
	patterns := uncovered(t)
	for level := range levels {
		for _, module := range bareModules(levels[level]) {
			if level != "strict" && slices.Contains(levels["strict"].Imports, module) {
				continue
			}
			t.Run(level+" "+module, func(t *testing.T) {
				t.Parallel()
				program := fmt.Sprintf(describe, module)
				known := make(map[string]string)
				for line := range strings.Lines(bare(t, program)) {
					name, _, _ := strings.Cut(line, " ")
					known[name] = line
				}
				for _, i := range python.ways() {
					out := run(t, i, jobOf(levels[level], program))
					require.Equal(t, "A", string(rune(out.kind)), "%q", out.payload)
					require.Equal(t, 0, out.exit, out.stderr)
					lines := 0
					for line := range strings.Lines(out.stdout) {
						lines++
						name, _, _ := strings.Cut(line, " ")
						if fitting(t, patterns, module+"."+name) < 0 {
							assert.Equal(t, known[name], line, i.way)
						}
					}
					assert.Greater(t, lines, 0)
				}
			})
		}
	}
}
