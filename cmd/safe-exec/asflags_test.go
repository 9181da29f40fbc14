package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMessagesNameFlagsAndNotFields(t *testing.T) {
	for _, row := range []struct{ name, said, want string }{
		{"a time limit, as a duration", "limits.timeout_ms is 31000, the maximum is 30000", "--timeout is 31s, the maximum is 30s"},
		{"a time limit beyond all durations", "limits.timeout_ms is 999999999999999, the maximum is 1", "--timeout is 999999999999999ms, the maximum is 1ms"},
		{"a hint", "Make it do less, or ask for a higher limits.max_memory_mb.", "Make it do less, or ask for a higher --memory."},
		{"one of many files", "files[3].path is absolute", "--file (number 4) is absolute"},
		{"one of many arguments", "args[0] has a NUL", "--arg (number 1) has a NUL"},
		{"too many globs", "collect has 17 entries, the maximum is 16", "--collect has 17 entries, the maximum is 16"},
		{"stdin", "stdin is not valid UTF-8", "--stdin is not valid UTF-8"},
		{"a list of things, which is no name", "stdin, args, env and files are 9 bytes together", "stdin, args, env and files are 9 bytes together"},
		{"a key", "another request has this Idempotency-Key", "another request has this --key"},
		{"another word", "files that nobody wrote", "files that nobody wrote"},
		{"what has no flag", "limits.max_stdout_bytes is 0, the minimum is 1", "limits.max_stdout_bytes is 0, the minimum is 1"},
	} {
		assert.Equal(t, row.want, asFlags(row.said), row.name)
	}
}
