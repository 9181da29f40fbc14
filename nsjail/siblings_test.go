package nsjail_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// forkOf runs a program in a fork of the caller's template.
func forkOf(t *testing.T, caller, language, level, code string) string {
	t.Helper()
	result, err := shared.Execute(t.Context(), policy.Request{
		Language: language, Level: level, Code: code, Caller: policy.Caller{Token: caller}, StartMode: policy.StartFork, Privileged: true,
	})
	require.NoError(t, err)
	require.Equal(t, policy.Succeeded, result.Status, "%+v: %s", result.Termination, result.Stderr)
	return strings.TrimSpace(result.Stdout)
}

// What a template drew beforehand, all of its forks would draw.
func TestSiblingsShareNoStreamOfRandomNumbers(t *testing.T) {
	for _, row := range []struct{ what, language, level, code string }{ // each draws so much that no two are alike by chance
		{"Python's random module", "python", "strict", "import random\nprint([random.random() for _ in range(4)])"},
		{"a generator that seeds itself", "python", "strict", "import random\nprint(random.Random().random())"},
		{"a shuffle", "python", "strict", "import random\nx = list(range(50))\nrandom.shuffle(x)\nprint(x)"},
		{"the system's generator", "python", "strict", "import random\nprint(random.SystemRandom().random())"},
		{"the secrets module", "python", relaxed, "import secrets\nprint(secrets.token_hex())"},
		{"a uuid of random numbers", "python", relaxed, "import uuid\nprint(uuid.uuid4())"},
		{"a uuid of the time", "python", relaxed, "import uuid\nu = uuid.uuid1()\nprint(u.node, u.clock_seq)"},
		{"a temporary name", "python", relaxed, "import tempfile\nprint(next(tempfile._get_candidate_names()))"},
		{"OpenSSL's generator", "python", relaxed, "import ssl\nprint(ssl.RAND_bytes(16).hex())"},
		{"Math.random", "javascript", "strict", "console.log(Math.random(), Math.random())"},
		{"Math.random of a worker", "javascript", relaxed, "new (require('worker_threads').Worker)('console.log(Math.random())', { eval: true })"},
		{"Node's random bytes", "javascript", relaxed, "console.log(require('crypto').randomBytes(16).toString('hex'))"},
		{"a random UUID of Node", "javascript", relaxed, "console.log(crypto.randomUUID())"},
		{"a random integer of Node", "javascript", relaxed, "console.log(require('crypto').randomInt(2 ** 40))"},
		{"web crypto", "javascript", relaxed, "console.log(crypto.getRandomValues(new Uint8Array(16)))"},
	} {
		t.Run(row.what, func(t *testing.T) {
			parallel(t)
			seen := map[string]bool{}
			for range 5 {
				seen[forkOf(t, "a", row.language, row.level, row.code)] = true
			}
			assert.Len(t, seen, 5)
		})
	}
}

// The address layout is what siblings do share, and the reason why no two callers
// have the same template.
func TestCallersShareNoAddressLayout(t *testing.T) {
	const code = "print(id(id), id(object()))" // of templates that were not there before, and so do not wear out now
	first := forkOf(t, "layout a", "python", "strict", code)
	assert.Equal(t, first, forkOf(t, "layout a", "python", "strict", code), "the control: siblings do")
	assert.NotEqual(t, first, forkOf(t, "layout b", "python", "strict", code))
}

// A template collects its young objects by a function of the engine's that no
// program has.
func TestARealmThatAForkMakesHasNoCollector(t *testing.T) {
	result := execute(t, policy.StartFork, policy.Request{
		Language: "javascript", Level: "relaxed", Code: "const vm = require('vm'); console.log(typeof gc, vm.runInNewContext('typeof gc'), vm.runInNewContext('typeof JSON'))",
	})
	assert.Equal(t, "undefined undefined object\n", result.Stdout, result.Stderr)
}
