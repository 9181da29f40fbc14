package profiles_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// BenchmarkCheck measures what a check takes from sending the job to the
// harness's answer, by the number of lines: parsing, the tree and the import
// lists, without the start of the interpreter. The level without lists shows
// what of it the interpreter's own parser takes. The figures are medians, of the
// clock and of the main thread's own time, which a busy machine does not change;
// the harness is started anew for each, so give the number of rounds:
//
//	go test -tags netgo,osusergo -run '^$' -bench Check -benchtime 30x ./profiles
func BenchmarkCheck(b *testing.B) {
	all, err := profiles.Default()
	require.NoError(b, err)
	for _, language := range policy.Languages() {
		for _, level := range []string{"strict", "relaxed"} {
			for _, lines := range []int{1, 200, 1000, 10000} {
				b.Run(fmt.Sprintf("%s/%s/%d", language, level, lines), func(b *testing.B) {
					l := all[string(language)].Levels[level]
					job := jobOf(l, programOf(b, language, lines))
					job.CheckOnly = true
					var wall, cpu []time.Duration
					for b.Loop() {
						w, c := timeCheck(b, harnessOf(language, l), job)
						wall, cpu = append(wall, w), append(cpu, c)
					}
					b.ReportMetric(0, "ns/op") // that would be the start of the interpreter
					b.ReportMetric(median(wall), "ms/check")
					b.ReportMetric(median(cpu), "cpu-ms/check")
				})
			}
		}
	}
}

func median(d []time.Duration) (ms float64) {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}

func timeCheck(b *testing.B, i interpreter, job wire.Job) (wall, cpu time.Duration) {
	dir, err := image()
	require.NoError(b, err)
	p := launch(b, i, dir, true)
	p.handshake(b)
	payload := job.Encode()
	used, begin := threadTime(b, p.cmd.Process.Pid), time.Now()
	require.NoError(b, wire.WriteFrame(p.conn, wire.JobFrame, payload))
	p.expect(b, wire.Checked)
	wall = time.Since(begin)
	// Not reaped yet, so it is still there; ending it has begun.
	cpu = threadTime(b, p.cmd.Process.Pid) - used
	require.NoError(b, p.cmd.Wait())
	return wall, cpu
}

// threadTime is the processor time of a process's main thread.
func threadTime(b *testing.B, pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	require.NoError(b, err)
	var running int64
	_, err = fmt.Sscan(string(text), &running)
	require.NoError(b, err)
	return time.Duration(running)
}

// programOf gives that many lines of the programs in testdata, in their order
// and from the start again when they are used up.
func programOf(t testing.TB, language policy.Language, lines int) string {
	t.Helper()
	pattern := map[policy.Language]string{policy.Python: "*.py", policy.JavaScript: "*.js"}[language]
	files, err := filepath.Glob(filepath.Join("testdata/programs/strict", pattern))
	require.NoError(t, err)
	if lines == 1 {
		return map[policy.Language]string{policy.Python: "print(1)\n", policy.JavaScript: "console.log(1)\n"}[language]
	}
	var program []string
	for n := 0; len(program) < lines; n++ {
		text, err := os.ReadFile(files[n%len(files)])
		require.NoError(t, err)
		// What must come first in a program, and what is fine once: two classes of
		// one name make a pattern unclear.
		if strings.Contains(string(text), "__future__") || strings.HasPrefix(string(text), "#!") || strings.Contains(string(text), "match ") {
			continue
		}
		part := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
		if language == policy.JavaScript { // names are declared once in a block
			part = slices.Concat([]string{"{"}, part, []string{"}"})
		}
		program = append(program, part...)
	}
	return strings.Join(program, "\n") + "\n"
}
