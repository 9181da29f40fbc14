package console

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const good = "VMTEST a exit=0 ms=5 timeout=false procs=0 cgroups=0 mounts=0"

func TestConsoleIsJudged(t *testing.T) {
	for _, row := range []struct {
		name  string
		lines string // joined by ;
		want  []string
		probs []string // each problem by a part of it, in order
	}{
		{"one passing command succeeds",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| --- PASS: T (0s);" + good + ";VMTEST-END commands=1", []string{"a"}, nil},
		{"kernel messages and carriage returns do not matter",
			"[ 1.0] hello;VMTEST-START commands=1\r;VMTEST-BEGIN a\r;[ 2.0] VMTEST-END;| --- PASS: T (0s)\r;" + good + "\r;VMTEST-END commands=1\r", []string{"a"}, nil},
		{"an empty console is a failure", "", []string{"a"},
			[]string{"knew 0 commands", "a never began", "final line is missing"}},
		{"a missing final line is a failure",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| --- PASS: T (0s);" + good, []string{"a"}, []string{"final line is missing"}},
		{"a skip is a failure",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| --- PASS: T (0s);|     --- SKIP: T/sub (0.00s);" + good + ";VMTEST-END commands=1", []string{"a"},
			[]string{"a: 1 skipped, which counts as failed here: T/sub (0.00s)"}},
		{"a failed test is a failure even with status 0",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| --- PASS: T (0s);| --- FAIL: U (0s);" + good + ";VMTEST-END commands=1", []string{"a"},
			[]string{"a: 1 failed: U (0s)"}},
		{"a pattern that matches no test is a failure",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| testing: warning: no tests to run;| PASS;" + good + ";VMTEST-END commands=1", []string{"a"},
			[]string{"a: status 0, but no test passed"}},
		{"a status other than 0 is a failure",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| --- PASS: T (0s);" + strings.Replace(good, "exit=0", "exit=3", 1) + ";VMTEST-END commands=1", []string{"a"},
			[]string{"a: exit status 3"}},
		{"an end by signal is a failure",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| --- PASS: T (0s);" + strings.Replace(good, "exit=0", "exit=-11", 1) + ";VMTEST-END commands=1", []string{"a"},
			[]string{"a: ended by signal 11"}},
		{"leftovers are a failure",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| --- PASS: T (0s);" + strings.Replace(good, "cgroups=0", "cgroups=2", 1) + ";VMTEST-END commands=1", []string{"a"},
			[]string{"a: left behind 0 processes, 2 cgroups, 0 mounts"}},
		{"a command that never ended is a failure",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| --- PASS: T (0s)", []string{"a"}, []string{"a: no report of its end", "final line is missing"}},
		{"a command that was not wanted is a failure",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| --- PASS: T (0s);" + good + ";VMTEST-END commands=1", []string{"b"}, []string{"a ran in the place of b"}},
		{"a second report of one command is a failure",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| --- PASS: T (0s);" + good + ";" + good + ";VMTEST-END commands=1", []string{"a"}, []string{"was not running"}},
		{"a garbled report is a failure",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| --- PASS: T (0s);VMTEST a exit=0 ms=;VMTEST-END commands=1", []string{"a"},
			[]string{"garbled line", "a: no report of its end"}},
		{"words of the init in a command's output mean nothing",
			"VMTEST-START commands=1;VMTEST-BEGIN a;| --- PASS: T (0s);| " + good + ";| VMTEST-END commands=1", []string{"a"},
			[]string{"a: no report of its end", "final line is missing"}},
		{"an end that counts fewer commands is a failure",
			"VMTEST-START commands=2;VMTEST-BEGIN a;| --- PASS: T (0s);" + good + ";VMTEST-END commands=1", []string{"a", "b"},
			[]string{"ran 1 commands, it began 1 of 2", "b never began"}},
		{"an init that gives up is a failure",
			"VMTEST-FATAL mount file systems: proc on /proc: no such device", []string{"a"},
			[]string{"gave up: mount file systems", "knew 0 commands", "a never began", "final line is missing"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var p Parser
			for line := range strings.SplitSeq(row.lines, ";") {
				p.Line(line)
			}
			got := p.Problems(row.want)
			require.Len(t, got, len(row.probs), "%q", got)
			for i, want := range row.probs {
				assert.Contains(t, got[i], want)
			}
		})
	}
}

func TestReportReadsBack(t *testing.T) {
	r := Report{Name: "a/b", Exit: -9, Took: 1234 * time.Millisecond, Timeout: true, Left: Left{1, 2, 3}}
	got, err := parseReport(strings.TrimPrefix(r.Line(), "VMTEST "))
	require.NoError(t, err)
	assert.Equal(t, r, got)
}

func TestInitLinesAreOneLine(t *testing.T) {
	for _, line := range []string{NoteLine("a\nVMTEST-END commands=1"), FatalLine(errors.New("a\r\nb"))} {
		assert.NotContains(t, line, "\n")
	}
}

func FuzzConsole(f *testing.F) {
	f.Add("VMTEST-START commands=1\nVMTEST-BEGIN a\n| --- PASS: T (0s)\n" + good + "\nVMTEST-END commands=1")
	f.Add("VMTEST a exit=+0 ms=5 timeout=false procs=0 cgroups=0 mounts=0 more")
	f.Add("VMTEST-BEGIN \n| --- SKIP: \nVMTEST-FATAL")
	f.Fuzz(func(t *testing.T, text string) {
		var p Parser
		for line := range strings.SplitSeq(text, "\n") {
			p.Line(line)
		}
		if len(p.Problems([]string{"a"})) > 0 {
			return
		}
		// Success needs all four lines of the init, word for word, and a pass.
		for _, want := range []string{"VMTEST-START commands=1", "VMTEST-BEGIN a", "VMTEST a exit=0 ", "VMTEST-END commands=1", "--- PASS: "} {
			assert.Contains(t, text, want)
		}
		assert.Len(t, p.Results(), 1)
		assert.Empty(t, p.Results()[0].Skipped)
	})
}
