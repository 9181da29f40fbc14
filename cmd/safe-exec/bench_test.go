package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/benchmark"
)

// With real daemons and interpreters, each figure for as short as it gets. The
// numbers are the machine's; that there is one for each is ours.
func TestBenchMeasuresWhatItIsAskedFor(t *testing.T) {
	t.Parallel()
	got := invoke(t, "bench", "--only", "hello,imports,cold,throughput,memory,soak,sleep", "--language", "py",
		"--rounds", "2", "--slices", "1", "--slice", "50ms", "--soak", "4", "--sleepers", "3", "--json")
	require.Zero(t, got.code, got.stderr)
	assert.Empty(t, got.stderr, "it tells its progress to terminals only")
	var r benchmark.Report
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &r))
	assert.Empty(t, r.Unmeasured)
	assert.Equal(t, benchmark.SchemaVersion, r.SchemaVersion)
	assert.Len(t, r.Machine.LoadAtBegin, 3)
	assert.Regexp(t, "^v[12]$", r.Machine.Cgroup)

	require.Len(t, r.Latencies, 2)
	assert.Equal(t, []string{"bare", "safe-exec", "cold"}, ways(r.Latencies[0]))
	assert.Equal(t, []string{"bare", "safe-exec"}, ways(r.Latencies[1]))
	for _, l := range r.Latencies {
		assert.Equal(t, "python", l.Language)
		assert.Equal(t, "PROGRAM", l.Ways[0].Command[len(l.Ways[0].Command)-1])
		for _, w := range l.Ways {
			assert.Equal(t, 2, w.Runs)
			assert.Positive(t, w.P50)
			assert.LessOrEqual(t, w.P50, w.P99)
		}
	}
	cold := r.Latencies[0].Ways[2]
	assert.Equal(t, map[string]int{"cold": 2}, cold.StartModes)
	assert.Positive(t, cold.DaemonStartMS)
	assert.Greater(t, cold.P50, cold.DaemonStartMS)

	require.Len(t, r.Throughputs, len(benchmark.Clients))
	for _, one := range r.Throughputs {
		for _, w := range one.Ways {
			assert.Zero(t, w.Failures, w.FirstError)
			assert.Positive(t, w.PerSecond)
		}
	}
	require.NotEmpty(t, r.Waiting)
	for _, w := range r.Waiting {
		assert.Equal(t, w.Kind != "none", w.ProportionalMB > 0, "%+v", w)
		assert.Equal(t, w.Kind != "none", w.Count > 0, "%+v", w)
	}
	require.NotNil(t, r.Sleepers)
	assert.Equal(t, 3, r.Sleepers.Programs)
	assert.Greater(t, r.Sleepers.ProportionalMB, r.DaemonRSSMB/4)
	assert.Positive(t, r.Sleepers.MeanwhileP50)
	require.Len(t, r.Soaks, 1)
	assert.Positive(t, r.Soaks[0].LastP50)
	assert.Positive(t, r.Soaks[0].Before.Descriptors)
}

func TestBenchTakesLanguagesByAnyOfTheirNames(t *testing.T) {
	for given, want := range map[string][]string{
		"": nil, "py": {"python"}, "python3,node": {"python", "javascript"}, "js": {"javascript"}, "javascript,python": {"javascript", "python"},
	} {
		f := newBenchFlags()
		f.languages = given
		require.NoError(t, f.check(), given)
		assert.Equal(t, want, f.chosen(), given)
	}
}

func ways(l benchmark.Latency) (names []string) {
	for _, w := range l.Ways {
		names = append(names, w.Way)
	}
	return names
}

func TestBenchPrintsWhatWasMeasured(t *testing.T) {
	const report = "../../internal/benchmark/testdata/report.json"
	text, err := os.ReadFile(report)
	require.NoError(t, err)
	path, err := filepath.Abs(report)
	require.NoError(t, err)
	other := program(t, "other.json", `{"schema_version": 99}`)
	for _, row := range []struct {
		name, file     string
		code           int
		stdout, stderr string
	}{
		{"a table", path, 0, "^\\| figure \\| bare", "^$"},
		{"another schema is refused", other, 2, "^$", "schema_version is 99, not 1"},
		{"a file that is no JSON is refused", program(t, "no.json", string(text[1:])), 2, "^$", "no.json: invalid character"},
		{"a file that is not there is refused", "/nope", 2, "^$", "open /nope: no such file"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := invoke(t, "bench", "--table", row.file)
			assert.Equal(t, row.code, got.code)
			assert.Regexp(t, row.stdout, got.stdout)
			assert.Regexp(t, row.stderr, got.stderr)
		})
	}
}

// A program that a policy refused would be found out only after minutes.
func TestThePoliciesTakeTheProgramsOfTheBenchmark(t *testing.T) {
	t.Parallel()
	d := common.daemon(t)
	files, err := filepath.Glob("../../internal/benchmark/programs/*")
	require.NoError(t, err)
	require.Len(t, files, 8)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			path, err := filepath.Abs(file)
			require.NoError(t, err)
			got := invoke(t, "run", "--socket", d.socket, "--check", path)
			assert.Zero(t, got.code, got.stdout+got.stderr)
		})
	}
}
