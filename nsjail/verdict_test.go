package nsjail_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func ptr[T any](v T) *T { return &v }

const relaxed = "relaxed"

// TestVerdicts is the product's promise in a table: what a program does, and
// what is said of it.
func TestVerdicts(t *testing.T) {
	second := policy.LimitsRequest{TimeoutMS: ptr(int64(1000))}
	small := policy.LimitsRequest{MaxMemoryMB: ptr(int64(64))}
	for _, row := range []struct {
		name, language, level, code string
		limits                      policy.LimitsRequest
		status                      policy.Status
		reason                      policy.Reason
		check                       func(*testing.T, *policy.Result)
	}{
		{name: "a loop without end is stopped by time", language: "py", code: "while True: pass", limits: second,
			status: policy.TimedOut, reason: policy.ReasonWallTimeout, check: within(1000)},
		{name: "so is a JavaScript loop", language: "js", code: "for (;;);", limits: second,
			status: policy.TimedOut, reason: policy.ReasonWallTimeout, check: within(1000)},
		{name: "sleep past the limit", language: "py", code: "import time; print('before'); time.sleep(60)",
			limits: policy.LimitsRequest{TimeoutMS: ptr(int64(3000))}, // by when it has printed
			status: policy.TimedOut, reason: policy.ReasonWallTimeout, check: all(within(3000), stdout("before\n"))},
		{name: "ignored signals do not help", language: "py", level: relaxed, limits: second,
			code:   "import signal\nfor s in range(1, 65):\n  try: signal.signal(s, signal.SIG_IGN)\n  except (OSError, ValueError): pass\nwhile True: pass",
			status: policy.TimedOut, reason: policy.ReasonWallTimeout, check: within(1000)},
		{name: "a process that stops itself", language: "py", level: relaxed, limits: second,
			code:   "import os, signal; os.kill(os.getpid(), signal.SIGSTOP); print('on')",
			status: policy.TimedOut, reason: policy.ReasonWallTimeout, check: within(1000)},
		{name: "a C call that never returns", language: "py", limits: second,
			code:   "import re; re.match(r'(a+)+$', 'a' * 40 + 'b')",
			status: policy.TimedOut, reason: policy.ReasonWallTimeout, check: within(1000)},

		{name: "heap beyond the limit", language: "py", code: "x = []\nwhile True: x.append(bytearray(1 << 20))", limits: small,
			status: policy.Failed, reason: policy.ReasonMemoryLimit, check: evidenced("oom_kill")},
		{name: "tmpfs beyond the limit", language: "py", level: relaxed, limits: policy.LimitsRequest{MaxMemoryMB: ptr(int64(48))},
			code:   "f = open('/tmp/x', 'wb')\nfor _ in range(63): f.write(bytes(1 << 20)); f.flush()",
			status: policy.Failed, reason: policy.ReasonMemoryLimit, check: evidenced("oom_kill")},
		{name: "buffers of Node beyond the limit", language: "js", limits: policy.LimitsRequest{MaxMemoryMB: ptr(int64(128))},
			code:   "const b = []; for (;;) b.push(Buffer.alloc(1 << 20, 1));",
			status: policy.Failed, reason: policy.ReasonMemoryLimit, check: evidenced("oom_kill")},
		{name: "the JavaScript heap beyond the limit speaks for itself first", language: "js",
			code:   "const a = []; for (;;) a.push({x: Math.random(), y: [1, 2, 3]});",
			limits: policy.LimitsRequest{MaxMemoryMB: ptr(int64(128)), TimeoutMS: ptr(int64(30000))},
			status: policy.Failed, reason: policy.ReasonMemoryLimit, check: stderrHas("heap out of memory")},
		{name: "a flood of threads is bounded", language: "py", level: relaxed,
			code:   "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
			status: policy.Failed, reason: policy.ReasonPidsLimit, check: evidenced("pids_max_events")},
		{name: "a full disk", language: "py", level: relaxed,
			code:   "f = open('/tmp/x', 'wb')\nwhile True: f.write(bytes(1 << 20))",
			status: policy.Failed, reason: policy.ReasonDiskLimit, check: evidenced("free_bytes")},
		{name: "a disk full of names", language: "py", level: relaxed,
			code:   "n = 0\nwhile True:\n  open(f'/tmp/{n}', 'w').close(); n += 1",
			status: policy.Failed, reason: policy.ReasonDiskLimit, check: evidenced("free_inodes")},

		{name: "an exception is the program's own doing", language: "py", code: "1 / 0",
			status: policy.Failed, reason: policy.ReasonException, check: all(claimed, exit(1), stderrHas("ZeroDivisionError: division by zero"))},
		{name: "an exception in JavaScript", language: "js", code: "throw new TypeError('no')",
			status: policy.Failed, reason: policy.ReasonException, check: all(claimed, stderrHas("TypeError: no"))},
		{name: "exit(3)", language: "py", code: "raise SystemExit(3)",
			status: policy.Failed, reason: policy.ReasonExitNonzero, check: exit(3)},
		{name: "exit(3) in JavaScript", language: "js", level: relaxed, code: "process.exit(3)",
			status: policy.Failed, reason: policy.ReasonExitNonzero, check: exit(3)},
		{name: "exit(137) is not taken for a kill", language: "py", level: relaxed, code: "import os; os._exit(137)",
			status: policy.Failed, reason: policy.ReasonExitNonzero, check: exit(137)},
		{name: "a segmentation fault", language: "py", level: relaxed, code: "import types\ndef f(): pass\nf.__code__ = f.__code__.replace(co_code=b'd\\xff' * 8, co_stacksize=1, co_consts=())\nf()",
			status: policy.Failed, reason: policy.ReasonSignal, check: signal("SIGSEGV")},
		{name: "a kill of itself", language: "py", level: relaxed, code: "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
			status: policy.Failed, reason: policy.ReasonSignal, check: signal("SIGKILL")},
		{name: "SIGSYS cannot be faked", language: "py", level: relaxed, code: "import os, signal\ntry: os.kill(os.getpid(), signal.SIGSYS)\nexcept PermissionError: print('refused')",
			status: policy.Succeeded, reason: policy.ReasonCompleted, check: stdout("refused\n")},
		{name: "an abort", language: "py", level: relaxed, code: "import os; os.abort()",
			status: policy.Failed, reason: policy.ReasonSignal, check: signal("SIGABRT")},

		{name: "a syntax error has its place", language: "py", code: "x = 1\ny = = 2\n",
			status: policy.Failed, reason: policy.ReasonSyntaxError, check: at(2, 5)},
		{name: "a syntax error in JavaScript", language: "js", code: "let x = 1;\nlet y = = 2;\n",
			status: policy.Failed, reason: policy.ReasonSyntaxError, check: at(2, 9)},
		{name: "a blocked import in the tree", language: "py", code: "import json\n\nimport os\n",
			status: policy.Rejected, reason: policy.ReasonPolicyViolation, check: violates("import_blocked", "os", 3, 8)},
		{name: "an import that is not on the list", language: "py", code: "import heapq",
			status: policy.Rejected, reason: policy.ReasonPolicyViolation, check: violates("import_not_allowed", "heapq", 1, 8)},
		{name: "a blocked builtin in the tree", language: "py", code: "x = open('/etc/passwd')",
			status: policy.Rejected, reason: policy.ReasonPolicyViolation, check: violates("name_blocked", "open", 1, 5)},
		{name: "a blocked import at run time is the program's claim", language: "js", code: "const m = 'f' + 's'; require(m)",
			status: policy.Failed, reason: policy.ReasonImportDenied, check: claimed},

		{name: "a socket is refused and reported", language: "py", level: relaxed, code: "import socket; socket.socket()",
			status: policy.Failed, reason: policy.ReasonException, check: all(denies("socket"), stderrHas("PermissionError"))},
		{name: "so is a process", language: "py", level: relaxed, code: "import os; os.fork()",
			status: policy.Failed, reason: policy.ReasonException, check: denies("clone")},
		{name: "a flood of refused calls ends the run", language: "py", level: relaxed,
			code:   "import socket\nwhile True:\n  try: socket.socket()\n  except OSError: pass",
			status: policy.Failed, reason: policy.ReasonSyscallDenied, check: evidenced("denied_calls")},

		{name: "output that is no UTF-8", language: "py", level: relaxed, code: "import sys; sys.stdout.buffer.write(b'\\xff\\x00\\x1b[31m\\xed\\xa0\\x80')",
			status: policy.Succeeded, reason: policy.ReasonCompleted},
		{name: "a lone surrogate", language: "py", code: "print('\\ud800')",
			status: policy.Succeeded, reason: policy.ReasonCompleted},
		{name: "no field but stdout follows a forged frame", language: "py", level: relaxed,
			code:   "import os\nfor fd in range(256):\n  try: os.write(fd, b'A\\x00\\x00\\x00\\x00{\"status\":\"error\"}\\n')\n  except OSError: pass",
			status: policy.Succeeded, reason: policy.ReasonCompleted},
		{name: "a replaced serialiser changes nothing but its own output", language: "py",
			code:   "import json\njson.dumps = lambda *a, **k: '{\"status\": \"error\"}'\nprint(json.dumps(1))",
			status: policy.Succeeded, reason: policy.ReasonCompleted, check: resultIs(`{"status":"error"}`)},
		{name: "a hundred refused names of the longest kind", language: "py", code: strings.Repeat("import "+strings.Repeat("漢", 1700)+"\n", 100),
			status: policy.Rejected, reason: policy.ReasonPolicyViolation},
		{name: "console keeps its place behind a stream that is still writing", language: "js", level: relaxed,
			code:   "process.stdout.write('a'.repeat(900000)); console.log('b')",
			limits: policy.LimitsRequest{MaxStdoutBytes: ptr(int64(1 << 20))},
			status: policy.Succeeded, reason: policy.ReasonCompleted, check: stdout(strings.Repeat("a", 900000) + "b\n")},
		{name: "a program that listens to its own console", language: "js", level: relaxed,
			code:   "const w = process.stdout.write; let n = 0; process.stdout.write = (t) => { n += t.length; return true; }; console.log('abc'); process.stdout.write = w; console.log(n)",
			status: policy.Succeeded, reason: policy.ReasonCompleted, check: stdout("4\n")},
		{name: "Node's memory in numbers, without /proc", language: "js", code: "const m = process.memoryUsage(); console.log(m.rss > 1e7 && m.heapUsed > 1e6)",
			status: policy.Succeeded, reason: policy.ReasonCompleted, check: stdout("true\n")},
		{name: "a number that few decoders take is only text", language: "py", code: "print('1' * 5000)",
			status: policy.Succeeded, reason: policy.ReasonCompleted, check: resultIs("null")},
		{name: "an early exit 0 is only an exit 0", language: "py", level: relaxed, code: "import os; os._exit(0)",
			status: policy.Succeeded, reason: policy.ReasonCompleted},
	} {
		inModes(t, row.name, func(t *testing.T, mode string) {
			result := execute(t, mode, policy.Request{Language: row.language, Level: row.level, Code: row.code, Limits: row.limits})
			require.Equal(t, row.status, result.Status, "%+v\nstderr: %s", result.Termination, result.Stderr)
			require.Equal(t, row.reason, result.Termination.Reason, "%+v\nstderr: %s", result.Termination, result.Stderr)
			assert.NotEmpty(t, result.Termination.Hint)
			assert.NotEmpty(t, result.Termination.Evidence)
			assert.True(t, utf8.ValidString(result.Stdout+result.Stderr))
			text, err := json.Marshal(result)
			require.NoError(t, err)
			assert.True(t, json.Valid(text))
			if row.check != nil {
				row.check(t, result)
			}
		})
	}
}

type check = func(*testing.T, *policy.Result)

func all(checks ...check) check {
	return func(t *testing.T, r *policy.Result) {
		for _, c := range checks {
			c(t, r)
		}
	}
}

// within says that the run ended by its limit: not before, and not when something else
// ends it. The rest is for a host that does much else beside.
func within(limitMS int64) check {
	return func(t *testing.T, r *policy.Result) {
		assert.GreaterOrEqual(t, r.Metrics.ExecutionTimeMS, float64(limitMS))
		const slack = 10_000
		assert.LessOrEqual(t, r.Metrics.ExecutionTimeMS, float64(limitMS+slack))
		assert.Equal(t, limitMS, *r.Termination.Limit)
	}
}

func stdout(want string) check {
	return func(t *testing.T, r *policy.Result) { assert.Equal(t, brief(want), brief(r.Stdout)) }
}

// brief stands for a text where two are compared, so that a difference in a long one
// does not fill the screen.
func brief(text string) string {
	if len(text) <= 2000 {
		return text
	}
	return fmt.Sprintf("%.100s... of %d bytes, SHA-256 %x", text, len(text), sha256.Sum256([]byte(text)))
}

func stderrHas(want string) check {
	return func(t *testing.T, r *policy.Result) { assert.Contains(t, r.Stderr, want) }
}

func evidenced(name string) check {
	return func(t *testing.T, r *policy.Result) {
		for _, e := range r.Termination.Evidence {
			if e.Name == name {
				return
			}
		}
		assert.Fail(t, "no evidence "+name, "%+v", r.Termination.Evidence)
	}
}

func claimed(t *testing.T, r *policy.Result) { assert.True(t, r.Termination.Claimed) }

func exit(code int) check {
	return func(t *testing.T, r *policy.Result) {
		require.NotNil(t, r.ExitCode)
		assert.Equal(t, code, *r.ExitCode)
	}
}

func signal(name string) check {
	return func(t *testing.T, r *policy.Result) {
		assert.Equal(t, name, r.Termination.Signal)
		assert.Nil(t, r.ExitCode)
	}
}

func at(line, column int) check {
	return func(t *testing.T, r *policy.Result) {
		assert.Equal(t, []int{line, column}, []int{r.Termination.Line, r.Termination.Column})
		assert.NotEmpty(t, r.Termination.Message)
	}
}

func violates(rule, name string, line, column int) check {
	return func(t *testing.T, r *policy.Result) {
		require.NotEmpty(t, r.Violations)
		v := r.Violations[0]
		assert.Equal(t, []any{rule, name, line, column}, []any{v.Rule, v.Name, v.Line, v.Column})
		assert.NotEmpty(t, v.Message)
	}
}

func denies(name string) check {
	return func(t *testing.T, r *policy.Result) {
		for _, d := range r.Denials {
			if d.Syscall == name && d.Count > 0 {
				return
			}
		}
		assert.Fail(t, "no denial of "+name, "%+v", r.Denials)
	}
}

func resultIs(want string) check {
	return func(t *testing.T, r *policy.Result) {
		assert.JSONEq(t, want, string(policy.ResultJSON(r.Stdout, r.StdoutTruncated)))
	}
}

func TestAGigabyteOfOutputIsCountedAndCut(t *testing.T) {
	inModes(t, "", func(t *testing.T, mode string) {
		megabytes := repeated(1000, 100)
		result := execute(t, mode, policy.Request{
			Language: "py", Level: relaxed, Limits: policy.LimitsRequest{TimeoutMS: ptr(int64(30000))},
			Code: "import os\nb = b'x' * (1 << 20)\nos.write(1, b'HEAD')\nfor _ in range(" + strconv.Itoa(megabytes) + "): os.write(1, b)\nos.write(1, b'TAIL')",
		})
		require.Equal(t, policy.Succeeded, result.Status, "%+v", result.Termination)
		assert.Equal(t, int64(8+megabytes<<20), result.Metrics.StdoutBytes)
		assert.True(t, result.StdoutTruncated)
		assert.True(t, strings.HasPrefix(result.Stdout, "HEAD"))
		assert.True(t, strings.HasSuffix(result.Stdout, "TAIL"))
		assert.Less(t, len(result.Stdout), 65536+100)
	})
}

func TestMoreThanTheOutputLimitEndsTheRun(t *testing.T) {
	inModes(t, "", func(t *testing.T, mode string) {
		result := execute(t, mode, policy.Request{
			Language: "py", Level: relaxed, Limits: policy.LimitsRequest{TimeoutMS: ptr(int64(30000))},
			Code: "import os\nb = b'x' * (1 << 20)\nwhile True: os.write(1, b)",
		})
		assert.Equal(t, policy.ReasonOutputLimit, result.Termination.Reason)
	})
}

func TestMetricsAreOfTheRun(t *testing.T) {
	inModes(t, "", func(t *testing.T, mode string) {
		result := execute(t, mode, policy.Request{Language: "py", Code: "x = bytearray(50 << 20)\nn = 0\nfor i in range(3_000_000): n += i\nprint(n)"})
		require.Equal(t, policy.Succeeded, result.Status)
		m := result.Metrics
		assert.Greater(t, m.CPUUserMS, 20.0)
		assert.Greater(t, m.PeakMemoryBytes, int64(50<<20))
		assert.Less(t, m.PeakMemoryBytes, int64(256<<20))
		assert.Positive(t, m.StartTimeMS)
		assert.Equal(t, mode, m.StartMode)
		assert.GreaterOrEqual(t, m.TotalTimeMS, m.StartTimeMS+m.ExecutionTimeMS)
	})
}
