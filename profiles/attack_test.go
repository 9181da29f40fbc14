package profiles_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
	"safe-exec/profiles"
)

// collected stands in for the library of the escape battery's probes: what a
// probe got hold of is put before the oracle instead of being used.
var collected = map[policy.Language]string{
	policy.Python: `got = []
def read_host(find):
    try: got.append(find())
    except Exception as e: got.append(e)
start_process = read_host
def won(proof): got.append(proof)
held = reached = won
def errno_name(error): got.append(error); return str(error)
def is_builtin(found, name): got.append(found); return False
def open_of(space): got.append(space); return space
`,
	policy.JavaScript: `globalThis.got = [];
function readHost(find) { try { got.push(find()); } catch (e) { got.push(e); } }
function startProcess(find) { readHost(find); }
function won(proof) { got.push(proof); }
function held(why) { got.push(why); }
function reached(what) { got.push(what); }
function loaderOf(p) { got.push(p); return p; }
`,
}

// attack is one probe of families A and B.
type attack struct {
	name, code string
	language   policy.Language
}

// attacks are the escape battery's probes of the import policy.
func attacks(t testing.TB) []attack {
	t.Helper()
	const dir = "../nsjail/escape/testdata"
	var list []attack
	for pattern, language := range map[string]policy.Language{"a_*.py": policy.Python, "b_*.js": policy.JavaScript} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, "the probes have moved")
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			list = append(list, attack{filepath.Base(file), string(text), language})
		}
	}
	return list
}

// with puts the library in front of a probe, behind what must come first.
func (a attack) with() string { return join(a.language, a.code) }

func join(language policy.Language, code string) string {
	return collected[language] + code
}

// TestNoAttackGetsHoldOfWhatThePolicyWithholds puts every probe of the policy
// before the oracle. The control is the same without the policy: there at least
// half of them have a real module, builtin or loader in hand, so the oracle
// would see it.
func TestNoAttackGetsHoldOfWhatThePolicyWithholds(t *testing.T) {
	all, err := profiles.Default()
	require.NoError(t, err)
	list := attacks(t)
	for _, level := range []string{"strict", "standard"} {
		t.Run(level, func(t *testing.T) {
			everyCPU(t, list, func(t *testing.T, _ int, a attack) {
				what, _ := reached(t, a.language, all[string(a.language)].Levels[level], a.with())
				assert.Empty(t, what, a.name)
			})
		})
	}
	t.Run("control", func(t *testing.T) {
		some := sample(list, 8)
		seen := make([]bool, len(some))
		everyCPU(t, some, func(t *testing.T, n int, a attack) {
			out := run(t, oracled(t, a.language, policy.Level{Unrestricted: true}), jobOf(policy.Level{Unrestricted: true}, a.with()))
			seen[n] = strings.Contains(out.stderr, "\nORACLE ") && !strings.Contains(out.stderr, "objects: clean")
		})
		count := 0
		for _, s := range seen {
			if s {
				count++
			}
		}
		t.Logf("without the policy %d of %d have something in hand", count, len(some))
		assert.Greater(t, count, len(some)/2)
	})
}
