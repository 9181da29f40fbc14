package escape

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
	"safe-exec/profiles"
)

const header = "# technique: t\n# family: C6\n# severity: H\n# layers: seccomp, cgroup\n"

func TestHeaderIsRead(t *testing.T) {
	text := header + "# verdict: exit_nonzero\n# expect: exit_code=137, claimed=false\n# within_ms: 5000\n" +
		"# timeout_ms: 300\n# memory_mb: 64\n# policy: relaxed\nwon('x')\n"
	p, err := parse("c6_x.py", text)
	require.NoError(t, err)
	timeout, memory := int64(300), int64(64)
	assert.Equal(t, Probe{
		Name: "c6_x", Technique: "t", Family: "C6", Severity: "H", Layers: []string{"seccomp", "cgroup"},
		Language: policy.Python, Verdict: policy.ReasonExitNonzero, Within: 5 * time.Second, Level: "relaxed",
		Limits: policy.LimitsRequest{TimeoutMS: &timeout, MaxMemoryMB: &memory},
		expect: []demand{{"exit_code", "137"}, {"claimed", "false"}},
	}, p)
}

func TestWrongHeaderIsRefused(t *testing.T) {
	for _, row := range []struct{ name, file, text string }{
		{"a file of no language", "x.sh", header},
		{"a file without a header", "x.py", "won('x')\n"},
		{"a header of the other language's comments", "x.js", header},
		{"an unknown key", "x.py", header + "# colour: red\n"},
		{"no family", "x.py", "# technique: t\n# severity: H\n# layers: seccomp\n"},
		{"no technique", "x.py", "# family: C1\n# severity: H\n# layers: seccomp\n"},
		{"no severity", "x.py", "# technique: t\n# family: C1\n# layers: seccomp\n"},
		{"a severity of no meaning", "x.py", "# technique: t\n# family: C1\n# severity: X\n# layers: seccomp\n"},
		{"no layers", "x.py", "# technique: t\n# family: C1\n# severity: H\n"},
		{"an unknown profile", "x.py", header + "# profile: python\n"},
		{"an unknown policy", "x.py", header + "# policy: off\n"},
		{"a module that is not sure", "x.js", "// technique: t\n// family: B\n// severity: H\n// layers: policy\n// module: no\n"},
		{"an innocent that is not sure", "x.py", "# technique: t\n# family: innocents\n# innocent: no\n"},
		{"an innocent with a verdict", "x.py", "# technique: t\n# family: innocents\n# innocent: yes\n# verdict: signal\n"},
		{"an unknown verdict", "x.py", header + "# verdict: held\n"},
		{"a demand on no field", "x.py", header + "# verdict: signal\n# expect: colour=red\n"},
		{"a demand without a value", "x.py", header + "# verdict: signal\n# expect: status\n"},
		{"a demand without a verdict", "x.py", header + "# expect: status=failed\n"},
		{"a bound on time without a verdict", "x.py", header + "# within_ms: 5\n"},
		{"a limit that is no number", "x.py", header + "# memory_mb: 64M\n"},
		{"a limit of nothing", "x.py", header + "# timeout_ms: 0\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := parse(row.file, row.text)
			assert.Error(t, err)
		})
	}
}

func TestProseEndsTheHeader(t *testing.T) {
	p, err := parse("x.py", header+"# Prose follows.\n# colour: red\n")
	require.NoError(t, err)
	assert.Equal(t, "C6", p.Family)
}

func TestEveryEmbeddedProbeIsWhole(t *testing.T) {
	probes, err := Probes()
	require.NoError(t, err)
	entries, err := fs.ReadDir(files, "testdata")
	require.NoError(t, err)
	libraries := slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), "lib.") })
	require.Len(t, libraries, 3)

	families := []string{"A", "B", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "innocents"}
	count := make(map[string]int)
	techniques, names := make(map[string]string), make(map[string]bool)
	for _, p := range probes {
		assert.Contains(t, families, p.Family, p.Name)
		count[p.Family]++
		prefix, _, _ := strings.Cut(p.Name, "_")
		assert.Equal(t, strings.TrimSuffix(strings.ToLower(p.Family), "s"), prefix, "%s: the name says the family", p.Name)
		assert.False(t, names[p.Name], "%s: two files of one name", p.Name)
		names[p.Name] = true
		key := string(p.Language) + p.Profile + p.Technique
		assert.Empty(t, techniques[key], "%s: the same technique", p.Name)
		techniques[key] = p.Name
		assert.Equal(t, p.Innocent, p.Family == "innocents", p.Name)
		if p.Profile != "" {
			assert.Equal(t, policy.Python, p.Language, p.Name)
		}
		assert.Contains(t, p.source, "won", p.Name)
	}
	for _, f := range families {
		if f != "C7" { // the daemon's own door is asked from outside
			assert.GreaterOrEqual(t, count[f], 20, "family %s", f)
		}
	}
}

func TestNativeProbesGetTheirLibrary(t *testing.T) {
	p, err := load("c6_x.py", header+"# profile: "+profiles.PythonFull+"\nattempt('read')\n")
	require.NoError(t, err)
	assert.Contains(t, p.source, "def won(")
	assert.Contains(t, p.source, "def attempt(")
	p, err = load("c6_x.py", header+"won('x')\n")
	require.NoError(t, err)
	assert.NotContains(t, p.source, "def attempt(")
}

// TestPolicyTechniquesAreMany: the table of what the import policy is asked to
// stop. Two files with the same program under different names count once.
func TestPolicyTechniquesAreMany(t *testing.T) {
	probes, err := Probes()
	require.NoError(t, err)
	kernelOnly := []string{"a_planted_module", "a_xml_writes_file"} // the policy lets a library write by path
	programs, innocents := make(map[string]map[string]string), make(map[policy.Language]int)
	for _, p := range probes {
		if strings.HasPrefix(p.Name, "innocent_like_") {
			innocents[p.Language]++
			assert.Empty(t, p.Level, "%s: it works under every level", p.Name)
		}
		if p.Family != "A" && p.Family != "B" {
			continue
		}
		assert.Equal(t, p.Family == "A", p.Language == policy.Python, p.Name)
		if slices.Contains(kernelOnly, p.Name) {
			continue
		}
		assert.Equal(t, "policy", p.Layers[0], "%s: the policy is the first layer", p.Name)
		assert.Greater(t, len(p.Layers), 1, "%s: a layer of the kernel holds it with the policy off", p.Name)
		assert.Empty(t, p.Level, "%s: it runs under every level", p.Name)
		text, err := files.ReadFile("testdata/" + p.Name + map[policy.Language]string{policy.Python: ".py", policy.JavaScript: ".js"}[p.Language])
		require.NoError(t, err)
		_, program, _ := strings.Cut(string(text), p.Layers[len(p.Layers)-1]+"\n")
		program = strings.TrimSpace(program)
		if programs[p.Family] == nil {
			programs[p.Family] = make(map[string]string)
		}
		assert.Empty(t, programs[p.Family][program], "%s: the same program", p.Name)
		programs[p.Family][program] = p.Name
	}
	assert.GreaterOrEqual(t, len(programs["A"]), 120, "techniques against the policy of Python")
	assert.GreaterOrEqual(t, len(programs["B"]), 60, "techniques against the policy of JavaScript")
	assert.GreaterOrEqual(t, innocents[policy.Python], 15, "programs that look like attacks")
	assert.GreaterOrEqual(t, innocents[policy.JavaScript], 10, "programs that look like attacks")
}

func TestEncodingStandsInTheFirstLine(t *testing.T) {
	p, err := load("a_x.py", header+"# coding: raw_unicode_escape\nwon('x')\n")
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(p.source, "# coding: raw_unicode_escape\n"))
	p, err = load("a_x.py", header+"won('x')\n")
	require.NoError(t, err)
	assert.NotContains(t, p.source, "coding:")
}

func FuzzHeader(f *testing.F) {
	f.Add("x.py", header)
	f.Add("x.py", header+"# verdict: signal\n# expect: exit_code=1, status=failed\n# within_ms: 1\n")
	f.Add("x.js", "// technique: t\n// family: innocents\n// innocent: yes\n")
	f.Add("x.py", header+"# memory_mb: 99999999999999999999\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		p, err := parse(name, text)
		if err != nil {
			return
		}
		// Whatever was accepted can be run and told of.
		require.NotEmpty(t, p.Technique)
		require.NotEmpty(t, p.Family)
		require.True(t, p.Innocent || len(p.Layers) > 0)
		p.unmet(&policy.Result{})
	})
}
