package profiles_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
	"safe-exec/profiles"
)

// TestProgramsAsModelsWriteThemDoWhatTheyDoBare runs testdata/programs, each at
// the level that its directory names. What a program must print is not written
// down: it is what the bare interpreter prints in the same test.
func TestProgramsAsModelsWriteThemDoWhatTheyDoBare(t *testing.T) {
	all, err := profiles.Default()
	require.NoError(t, err)
	counts := map[policy.Language]int{}
	for _, level := range []string{"strict", "standard"} {
		files, err := filepath.Glob(filepath.Join("testdata/programs", level, "*"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		everyCPU(t, files, func(t *testing.T, _ int, file string) {
			language := languageOf(t, file)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			l := all[string(language)].Levels[level]
			want := bareProgram(t, language, file)
			require.NotEmpty(t, want, file)
			for _, i := range harnessOf(language, l).ways() {
				out := run(t, i, jobOf(l, string(text)))
				require.Equal(t, "A", string(rune(out.kind)), "%s: %q", file, out.payload)
				assert.Equal(t, 0, out.exit, "%s: %s", file, out.stderr)
				wantSameLines(t, want, out.stdout, file+", "+string(i.way))
			}
		})
		for _, file := range files {
			counts[languageOf(t, file)]++
		}
	}
	assert.GreaterOrEqual(t, counts[policy.Python], 60)
	assert.GreaterOrEqual(t, counts[policy.JavaScript], 40)
}

func languageOf(t *testing.T, file string) policy.Language {
	t.Helper()
	switch filepath.Ext(file) {
	case ".py":
		return policy.Python
	case ".js", ".mjs":
		return policy.JavaScript
	}
	require.FailNow(t, "no language", file)
	return ""
}

// bareProgram gives what a program prints under the interpreter of the host.
func bareProgram(t *testing.T, language policy.Language, file string) string {
	t.Helper()
	path, err := filepath.Abs(file)
	require.NoError(t, err)
	args := []string{path}
	i := javascript // whose flags are the harness's own
	if language == policy.Python {
		i = python
		args = append(slices.Clone(i.flags), path)
	}
	cmd := exec.Command(i.path(t), args...)
	cmd.Env = []string{"HOME=/tmp", "LANG=C.UTF-8", "PATH=/usr/bin"}
	cmd.Dir = t.TempDir()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "bare %s: %s", file, &stderr)
	// Where a program says its own name, a run in a jail says another.
	return strings.ReplaceAll(stdout.String(), path, "/tmp/program"+filepath.Ext(file))
}
