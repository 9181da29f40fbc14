package prober_test

import (
	"bytes"
	"context"
	"flag"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/internal/prober"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail"
	"safe-exec/nsjail/lease"
	"safe-exec/policy"
	"safe-exec/profiles"
	"safe-exec/seccomp"
	"safe-exec/seccomp/compile"
)

var update = flag.Bool("update", false, "write testdata/syscalls.golden anew")

const golden = "testdata/syscalls.golden"

var (
	languages = []policy.Language{policy.Python, policy.JavaScript}
	words     = []string{"-1", "0"}
)

func columns() (names []string) {
	for _, l := range languages {
		for _, w := range words {
			names = append(names, string(l)+"("+w+")")
		}
	}
	return names
}

// TestWhatReachesTheKernel calls every number in a jail of each profile.
func TestWhatReachesTheKernel(t *testing.T) {
	program := build(t)
	all, err := profiles.Default()
	require.NoError(t, err)
	rows := make([]prober.Row, prober.Last+1)
	for nr := range rows {
		rows[nr] = prober.Row{Number: nr, Name: compile.SyscallName(nr)}
	}
	for _, language := range languages {
		runner, err := wiring.Runner(t.Context(), wiring.Config{
			StateDir: t.TempDir(), UIDs: lease.DefaultRange, Log: slog.New(slog.DiscardHandler),
			Native: program, NativeProfile: all[string(language)],
		})
		require.NoError(t, err)
		defer runner.Close()
		marks := marksOf(t, language)
		for _, word := range words {
			answers := ask(t, runner, word)
			for nr := range rows {
				rows[nr].Answers = append(rows[nr].Answers, marks.on(rows[nr].Name, answers[nr]))
			}
		}
	}
	if *update {
		var b bytes.Buffer
		require.NoError(t, prober.Write(&b, columns(), rows))
		require.NoError(t, os.WriteFile(golden, b.Bytes(), 0o644))
	}
	f, err := os.Open(golden)
	require.NoError(t, err)
	defer f.Close()
	recorded, err := prober.Read(f)
	require.NoError(t, err)
	assert.Len(t, recorded, prober.Last+1)
	reached := 0
	for _, row := range rows {
		if row.Answers[0] != prober.Refused || row.Answers[1] != prober.Refused {
			reached++
		}
		assert.Empty(t, prober.Grown(recorded[row.Number], row, columns()))
	}
	// A prober that could not ask, or a filter that was not there, shows here.
	assert.Greater(t, reached, 50)
	assert.Less(t, reached, 150)
}

// build compiles the prober. Without a C library nothing but its own calls is
// made.
func build(t *testing.T) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "prober")
	cmd := exec.CommandContext(t.Context(), "cc", "-std=gnu11", "-Os", "-Wall", "-Wextra", "-Werror", "-static",
		"-nostdlib", "-ffreestanding", "-fno-builtin", "-fno-stack-protector", "-o", out, "src/prober.c")
	words, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", words)
	program, err := os.ReadFile(out)
	require.NoError(t, err)
	return program
}

// ask gives the answer to each number. In two parts: a listener tells no more
// than 512 numbers apart.
func ask(t *testing.T, r *nsjail.Runner, word string) []string {
	t.Helper()
	answers := make([]string, prober.Last+1)
	for nr := range answers {
		answers[nr] = prober.Skipped
	}
	const half = prober.Last / 2
	for _, part := range [][2]int{{0, half}, {half + 1, prober.Last}} {
		result := execute(t.Context(), t, r, "prober", word, strconv.Itoa(part[0]), strconv.Itoa(part[1]))
		refused := make(map[string]bool)
		for _, d := range result.Denials {
			refused[d.Syscall] = true
		}
		require.False(t, refused["other"])
		for line := range strings.Lines(result.Stdout) {
			number, errno, ok := strings.Cut(strings.TrimSpace(line), " ")
			require.True(t, ok, line)
			nr, err := strconv.Atoi(number)
			require.NoError(t, err)
			answers[nr] = answer(t, errno, refused[compile.SyscallName(nr)])
		}
	}
	return answers
}

func execute(ctx context.Context, t *testing.T, r *nsjail.Runner, args ...string) *policy.Result {
	t.Helper()
	result, err := r.ExecuteNative(ctx, args, policy.LimitsRequest{})
	require.NoError(t, err)
	require.Equal(t, policy.Succeeded, result.Status, "%+v", result.Termination)
	require.False(t, result.StdoutTruncated)
	return result
}

func answer(t *testing.T, errno string, refused bool) string {
	t.Helper()
	if refused {
		assert.Equal(t, strconv.Itoa(int(unix.EPERM)), errno, "a refused call is answered EPERM")
		return prober.Refused
	}
	n, err := strconv.Atoi(errno)
	switch {
	case err != nil:
		return errno // a signal
	case n == 0:
		return prober.Content
	}
	return unix.ErrnoName(unix.Errno(n))
}

// marks tell the filter's own answers, and what only a native program may.
type marks struct{ filter, native map[string]bool }

func marksOf(t *testing.T, language policy.Language) marks {
	t.Helper()
	m := marks{map[string]bool{}, map[string]bool{}}
	wide, err := wiring.NativePolicy(string(language), seccomp.Steady)
	require.NoError(t, err)
	text, err := profiles.Syscalls(string(language))
	require.NoError(t, err)
	narrow, err := seccomp.ParsePolicy("list", bytes.NewReader(text), seccomp.Steady)
	require.NoError(t, err)
	for _, r := range wide.Rules {
		m.native[r.Syscall] = true
	}
	for _, r := range narrow.Rules {
		delete(m.native, r.Syscall)
		if _, ok := r.Action.Errno(); ok && len(r.Args) == 0 {
			m.filter[r.Syscall] = true
		}
	}
	return m
}

func (m marks) on(name, answer string) string {
	switch {
	case answer == prober.Refused || answer == prober.Skipped:
		return answer
	case m.filter[name]:
		return "=" + answer
	case m.native[name]:
		return answer + "*"
	}
	return answer
}

func TestGrown(t *testing.T) {
	for _, row := range []struct {
		what     string
		was, now string
		grown    bool
	}{
		{"the same", "EBADF", "EBADF", false},
		{"a call that is refused now", "EBADF", "refused", false},
		{"a call that the filter answers now", "EBADF", "=ENOSYS", false},
		{"another error of the kernel", "EBADF", "EINVAL", false},
		{"a call that was refused and is let through", "refused", "EBADF", true},
		{"a call that was refused and works", "refused", "ok", true},
		{"a call that was refused and is answered by the filter", "refused", "=ENOSYS", true},
		{"a call that the filter answered and the kernel does now", "=ENOSYS", "EFAULT", true},
		{"the filter's answer is another", "=ENOSYS", "=EINVAL", true},
		{"a native program's call that an interpreter may make now", "EFAULT*", "EFAULT", true},
		{"an interpreter's call that only a native program may make now", "EFAULT", "EFAULT*", false},
		{"a call that is not asked for any more", "EBADF", "-", true},
		{"a call that was not asked for", "-", "ok", true},
	} {
		t.Run(row.what, func(t *testing.T) {
			recorded, now := prober.Row{Answers: []string{row.was}}, prober.Row{Name: "call", Answers: []string{row.now}}
			assert.Equal(t, row.grown, prober.Grown(recorded, now, []string{"column"}) != "")
		})
	}
	t.Run("a number that the table does not have", func(t *testing.T) {
		assert.Equal(t, "column: call was refused, is ok",
			prober.Grown(prober.Row{}, prober.Row{Name: "call", Answers: []string{"ok"}}, []string{"column"}))
	})
}

func FuzzRead(f *testing.F) {
	f.Add("# nr name\n0 read EBADF\n")
	f.Add("x read EBADF\n")
	f.Add("1\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := prober.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var list []prober.Row
		for _, r := range rows {
			require.NotEmpty(t, r.Answers)
			list = append(list, r)
		}
		columns := make([]string, 100)
		for i := range list {
			list[i].Answers = list[i].Answers[:1]
		}
		var b bytes.Buffer
		require.NoError(t, prober.Write(&b, columns, list))
		again, err := prober.Read(&b)
		require.NoError(t, err)
		assert.Len(t, again, len(rows))
	})
}
