package vmtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/internal/vmtest/console"
)

// TestMain lets the test binary stand in for the emulator, whose part is to
// print a console and to end or not; the code that watches it is the real one.
func TestMain(m *testing.M) {
	switch script, hang := os.Getenv("STANDIN_CONSOLE"), os.Getenv("STANDIN_HANG"); {
	case hang != "":
		fmt.Print(script)
		time.Sleep(time.Hour)
	case script != "":
		fmt.Print(script)
		if code := os.Getenv("STANDIN_EXIT"); code != "" {
			n, _ := strconv.Atoi(code)
			os.Exit(n)
		}
	default:
		os.Exit(m.Run())
	}
}

// screen takes so many lines, and then says that it is full.
type screen struct {
	lines int
	full  func()
}

func (s *screen) Write(p []byte) (int, error) {
	if s.lines -= bytes.Count(p, []byte("\n")); s.lines == 0 {
		s.full()
	}
	return len(p), nil
}

const goodConsole = "SeaBIOS\r\nVMTEST-START commands=1\r\nVMTEST-BEGIN a\r\n| --- PASS: TestA (0.00s)\r\n" +
	"VMTEST a exit=0 ms=5 timeout=false procs=0 cgroups=0 mounts=0\r\nVMTEST-END commands=1\r\n[    5.1] reboot: Power down\r\n"

func TestWatchJudgesTheMachineByItsConsole(t *testing.T) {
	for _, row := range []struct {
		name    string
		console string
		env     string
		err     string // of the machine
		problem string // of the tests; empty means none
	}{
		{"a full console and a clean end succeed", goodConsole, "", "", ""},
		{"a missing final line is a failure", strings.Replace(goodConsole, "VMTEST-END commands=1\r\n", "", 1), "", "", "the final line is missing"},
		{"a skip in the output is a failure", strings.Replace(goodConsole, "| ---", "| --- SKIP: TestB (0.00s)\r\n| ---", 1), "", "", "1 skipped"},
		{"a kernel panic is a failure", "[ 1.0] Kernel panic - not syncing: No working init found.\r\n", "", "", "the final line is missing"},
		{"a failing emulator is an error though the console is good", goodConsole, "STANDIN_EXIT=3", "exit status 3", ""},
		{"a machine that hangs before its end is killed and says so", "VMTEST-START commands=1\r\nVMTEST-BEGIN a\r\n", "STANDIN_HANG=1", "whole time-out", "a: no report of its end"},
		{"a machine that hangs after its end is killed all the same", goodConsole, "STANDIN_HANG=1", "whole time-out", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx, timeOut := context.WithCancelCause(t.Context())
			defer timeOut(nil)
			shown := &screen{lines: strings.Count(row.console, "\n"), full: func() {}}
			if strings.Contains(row.env, "HANG") {
				shown.full = func() { timeOut(ErrTimeout) } // when it hangs, however long it took until then
			}
			cmd := exec.CommandContext(ctx, "/proc/self/exe")
			cmd.Env = []string{"STANDIN_CONSOLE=" + row.console, row.env}
			var parser console.Parser
			err := watch(ctx, cmd, shown, &parser)
			if row.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, row.err)
			}
			if strings.Contains(row.env, "HANG") {
				require.ErrorIs(t, err, ErrTimeout)
				assertGone(t, err)
			}
			assert.Zero(t, shown.lines, "lines that were not shown")
			problems := parser.Problems([]string{"a"})
			if row.problem == "" {
				assert.Empty(t, problems)
			} else {
				assert.Contains(t, strings.Join(problems, "\n"), row.problem)
			}
			failed := verdict(err, problems) != nil
			assert.Equal(t, row.err != "" || row.problem != "", failed)
		})
	}
}

// assertGone reads the process id from the error: no such process may exist.
func assertGone(t *testing.T, err error) {
	t.Helper()
	found := regexp.MustCompile(`machine process (\d+) killed`).FindStringSubmatch(err.Error())
	require.Len(t, found, 2, err)
	pid, convErr := strconv.Atoi(found[1])
	require.NoError(t, convErr)
	assert.ErrorIs(t, unix.Kill(pid, 0), unix.ESRCH)
}

func TestMachineWithoutBoundsIsRefused(t *testing.T) {
	for _, row := range []struct {
		name string
		m    Machine
	}{
		{"no time-out", Machine{Memory: 512}},
		{"no memory", Machine{Timeout: time.Second}},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := row.m.Run(context.Background(), "/nonexistent", os.Stderr, &console.Parser{})
			assert.ErrorContains(t, err, "needs a time-out and memory")
		})
	}
}
