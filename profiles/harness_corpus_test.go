package profiles_test

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/corpus"
	"safe-exec/nsjail/wire"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// TestRealProgramsRunWithTheirKnownResults runs every program of the corpus at
// each level with lists. At the strict one a program may be refused, but only for
// what the lists really say: an import that is not on them, a builtin that is
// blocked. At the others nothing may be refused. A level without lists has
// nothing to get wrong, so that one gets a sample.
func TestRealProgramsRunWithTheirKnownResults(t *testing.T) {
	all, err := profiles.Default()
	require.NoError(t, err)
	for _, row := range []struct {
		file     string
		language policy.Language
		refused  int // at the strict level, at most
	}{
		{"humaneval.jsonl", policy.Python, 4},
		{"mbpp.jsonl", policy.Python, 22},
		{"js_humaneval_x.jsonl", policy.JavaScript, 0},
	} {
		levels := all[string(row.language)].Levels
		for _, level := range slices.Sorted(maps.Keys(levels)) {
			t.Run(row.file+" at level "+level, func(t *testing.T) {
				items := corpus.Read(t, row.file)
				if levels[level].Unrestricted {
					items = sample(items, 10)
				}
				refused := make([]bool, len(items))
				everyCPU(t, items, func(t *testing.T, n int, item corpus.Item) {
					refused[n] = !runsAsKnown(t, row.language, levels[level], item)
				})
				count := len(slices.DeleteFunc(refused, func(r bool) bool { return !r }))
				t.Logf("%d programs, %d refused by the lists", len(items), count)
				most := 0
				if level == all[string(row.language)].Level {
					most = row.refused
				}
				assert.LessOrEqual(t, count, most)
			})
		}
	}
}

// sample takes every nth.
func sample[T any](items []T, n int) []T {
	var some []T
	for i := 0; i < len(items); i += n {
		some = append(some, items[i])
	}
	return some
}

// runsAsKnown says whether the program ran, and fails if it did so with another
// result than the known one or was refused for a reason that is not so.
func runsAsKnown(t *testing.T, language policy.Language, level policy.Level, item corpus.Item) bool {
	ran := true
	// What each module and builtin does in each way is asked of it by itself, in
	// TestEveryPublicFunctionOfAnAllowedModuleDoesWhatItDoesBare and the like.
	for _, i := range harnessOf(language, level).oneWay() {
		ran = runsSoAsKnown(t, i, level, item) && ran
	}
	return ran
}

func runsSoAsKnown(t *testing.T, i interpreter, level policy.Level, item corpus.Item) bool {
	out := run(t, i, jobOf(level, item.Code))
	if out.kind == wire.Violations {
		list, err := wire.DecodeViolations(out.payload)
		require.NoError(t, err)
		for _, v := range list {
			assert.Empty(t, unfounded(level, v), "%s, line %d: %s", item.ID, v.Line, v.Message)
		}
		return false
	}
	assert.Equal(t, "A", string(rune(out.kind)), "%s: %q", item.ID, out.payload)
	assert.Equal(t, item.Expect.Status, out.exit, "%s: %s", item.ID, out.stderr)
	if last := item.Expect.LastLine; last != "" {
		assert.True(t, strings.HasSuffix("\n"+out.stdout, "\n"+last+"\n"), "%s: %s", item.ID, out.stdout)
	} else {
		assert.Equal(t, item.Expect.Stdout, out.stdout, item.ID)
	}
	return true
}

// unfounded says why a refusal is not what the lists say, or "".
func unfounded(level policy.Level, v wire.Violation) string {
	listed := func(list []string) bool {
		for name := v.Name; name != ""; name = name[:max(strings.LastIndexByte(name, '.'), 0)] {
			if slices.Contains(list, name) {
				return true
			}
		}
		return false
	}
	switch {
	case v.Rule == "import_not_allowed" && slices.Contains(level.Imports, v.Name):
		return v.Name + " is on the list of imports"
	case v.Rule == "import_not_allowed":
	case v.Rule == "import_blocked" && !listed(level.BlockedImports):
		return v.Name + " is on no list of blocked imports"
	case v.Rule == "import_blocked":
	case v.Rule == "name_blocked" && !slices.Contains(level.BlockedNames, v.Name):
		return v.Name + " is no blocked name"
	case v.Rule == "name_blocked":
	default:
		return "no list has anything to do with rule " + v.Rule
	}
	return ""
}

// everyCPU calls do for each item, as many at a time as there are processors.
func everyCPU[T any](t *testing.T, items []T, do func(t *testing.T, n int, item T)) {
	t.Helper()
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.NumCPU() {
		wg.Go(func() {
			for n := range next {
				// A subtest, so that what a run opens is closed when it ends, not
				// with the last of them all.
				t.Run("", func(t *testing.T) { do(t, n, items[n]) })
			}
		})
	}
	for n := range items {
		next <- n
	}
	close(next)
	wg.Wait()
}
