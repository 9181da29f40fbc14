package profiles_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
	"safe-exec/profiles"
)

// The fuzzers make programs from a grammar of what reaches out, and from known
// attacks. Whatever the program, the harness gives one of its answers and ends
// in time, no signal ends the interpreter, and the oracle finds nothing in the
// program's hands that the policy withholds.

// maker makes a program from bytes; level names the level to run it at.
type maker func(c *choices) (level, code string)

func levelOf(c *choices) string { return []string{"strict", "standard"}[c.n(2)] }

// makers are the ways to make a program, by the name of the language.
func makers(t testing.TB, language policy.Language) (generated, mutated maker) {
	known := slices.DeleteFunc(attacks(t), func(a attack) bool { return a.language != language })
	grammar := map[policy.Language]func(*choices) string{policy.Python: pythonProgram, policy.JavaScript: javaScriptProgram}[language]
	generated = func(c *choices) (string, string) { return levelOf(c), grammar(c) }
	mutated = func(c *choices) (string, string) {
		level, which := levelOf(c), (c.n(256)*256+c.n(256))%len(known)
		return level, join(language, mutate(c, language, known[which].code, known))
	}
	return generated, mutated
}

// tryOne runs what the bytes make. It says whether the program ran at all.
func tryOne(t testing.TB, language policy.Language, make maker, data []byte) bool {
	all, err := profiles.Default()
	require.NoError(t, err)
	level, code := make(&choices{data})
	if len(code) > policy.MaxCodeBytes {
		return false
	}
	what, ran := reached(t, language, all[string(language)].Levels[level], code)
	require.Empty(t, what, "at level %s this got hold of it:\n%s", level, code)
	return ran
}

func fuzz(f *testing.F, language policy.Language, make maker) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		f.Add(randomBytes(r))
	}
	f.Fuzz(func(t *testing.T, data []byte) { tryOne(t, language, make, data) })
}

func randomBytes(r *rand.Rand) []byte {
	data := make([]byte, 20+r.IntN(300))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

func FuzzGeneratedPython(f *testing.F) {
	generated, _ := makers(f, policy.Python)
	fuzz(f, policy.Python, generated)
}

func FuzzMutatedPython(f *testing.F) {
	_, mutated := makers(f, policy.Python)
	fuzz(f, policy.Python, mutated)
}

func FuzzGeneratedJavaScript(f *testing.F) {
	generated, _ := makers(f, policy.JavaScript)
	fuzz(f, policy.JavaScript, generated)
}

func FuzzMutatedJavaScript(f *testing.F) {
	_, mutated := makers(f, policy.JavaScript)
	fuzz(f, policy.JavaScript, mutated)
}

// fuzzTime is how long each way is tried in an ordinary test run, with other
// bytes each time: a failure shows the program.
const fuzzTime = 3 * time.Second

// fuzzMost is how many are tried until one runs at all, where the time is not enough.
const fuzzMost = 200

func TestFuzzBriefly(t *testing.T) {
	for _, language := range policy.Languages() {
		generated, mutated := makers(t, language)
		for name, make := range map[string]maker{"generated": generated, "mutated": mutated} {
			t.Run(string(language)+" "+name, func(t *testing.T) {
				seed := uint64(time.Now().UnixNano())
				r := rand.New(rand.NewPCG(seed, 0))
				tried, ran := 0, 0
				// On a busy machine a few are all that the time allows, and by chance the
				// policy refuses each of them.
				for begin := time.Now(); time.Since(begin) < fuzzTime || ran == 0 && tried < fuzzMost; tried++ {
					t.Run("", func(t *testing.T) {
						if tryOne(t, language, make, randomBytes(r)) {
							ran++
						}
					})
				}
				t.Logf("%d programs of seed %d, %d of them ran", tried, seed, ran)
				assert.Positive(t, ran, "a policy that refuses all of them is not tested by them")
			})
		}
	}
}
