package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi"
	"safe-exec/policy"
)

func TestMessagesNameFlagsAndNotFields(t *testing.T) {
	for _, row := range []struct {
		name string
		said *policy.Error
		want string
	}{
		{"a time limit, as a duration", policy.TooLarge("limits.timeout_ms", 31000, 30000, "is %d, the maximum is %d"), "--timeout is 31s, the maximum is 30s"},
		{"a time limit that is too low", policy.TooSmall("limits.timeout_ms", 0, 1), "--timeout is 0s, the minimum is 1ms"},
		{"a time limit beyond all durations", policy.TooLarge("limits.timeout_ms", 9223372036854775807, 1, "is %d, the maximum is %d"), "--timeout is 9223372036854775807ms, the maximum is 1ms"},
		{"a time limit of a caller who can run nothing", aCeiling(t, 500), "--timeout of this caller is at most 500ms, and this profile needs 1s"},
		{"a memory limit", policy.TooLarge("limits.max_memory_mb", 1025, 1024, "is %d, the maximum is %d"), "--memory is 1025, the maximum is 1024"},
		{"one of many files", policy.Invalid("files[3].path", "is absolute"), "--file (number 4) is absolute"},
		{"one of many arguments", policy.Invalid("args[0]", "has a NUL"), "--arg (number 1) has a NUL"},
		{"one of many globs, with a sentence of its own", policy.Invalid("collect[1]", ": a path has no component . or .."), "--collect (number 2): a path has no component . or .."},
		{"too many globs", policy.TooLarge("collect", 17, 16, "has %d entries, the maximum is %d"), "--collect has 17 entries, the maximum is 16"},
		{"a variable", policy.Invalid("env.LD_PRELOAD", "may not be set"), "--env LD_PRELOAD may not be set"},
		{"one name of a list in one flag", policy.Invalid("policy.deny[2]", "is not the name of a module"), "--deny is not the name of a module"},
		{"stdin", policy.Invalid("stdin", "is not valid UTF-8"), "--stdin is not valid UTF-8"},
		{"a list of things, which is no name", &policy.Error{Code: policy.CodeTooLarge, Field: "stdin", Message: "stdin, args, env and files are 9 bytes together"}, "stdin, args, env and files are 9 bytes together"},
		{"a key", policy.Blame(policy.CodeConflict, "Idempotency-Key", "was used for another request"), "--key was used for another request"},
		{"an event to begin behind", policy.Invalid("Last-Event-ID", "must be the id of an event, such as 1.7"), "--after must be the id of an event, such as 1.7"},
		{"another word", &policy.Error{Code: policy.CodeInvalid, Message: "files that nobody wrote"}, "files that nobody wrote"},
		{"what has no flag", policy.TooSmall("limits.max_stdout_bytes", 0, 1), "limits.max_stdout_bytes is 0, the minimum is 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, inFlags(row.said))
			problem, err := json.Marshal(httpapi.ProblemOf(row.said))
			require.NoError(t, err)
			var p httpapi.Problem
			require.NoError(t, json.Unmarshal(problem, &p))
			assert.Equal(t, row.want, inFlags(p.Err(p.Status)), "as a daemon's answer")
		})
	}
}

// aCeiling is the error of a caller whose time limit, in milliseconds, is below a
// profile's minimum of a second.
func aCeiling(t *testing.T, ms int64) *policy.Error {
	levels := map[string]policy.Level{"strict": {}}
	p := policy.Profile{Level: "strict", Ceiling: "strict", Levels: levels, Requestable: policy.LimitRanges{TimeoutMS: policy.LimitRange{Min: 1000, Default: 1000, Max: 1000}}}
	_, err := policy.Resolve(policy.Request{Code: "x", CeilingLimits: policy.LimitsRequest{TimeoutMS: &ms}}, p)
	var e *policy.Error
	require.ErrorAs(t, err, &e)
	return e
}

func TestHintsNameTheFlagThatGivesMore(t *testing.T) {
	limit := int64(256)
	for _, row := range []struct {
		name, field string
		most        int64
		want        string
	}{
		{"a limit that can be higher", "limits.max_memory_mb", 257, "Make it do less, or ask for a higher --memory."},
		{"a limit that cannot", "limits.max_memory_mb", 256, "Make it do less; --memory is already the highest allowed."},
		{"time", "limits.timeout_ms", 257, "Make it do less, or ask for a higher --timeout."},
		{"a limit that no request sets", "", 0, "Make it do less."},
	} {
		said := policy.Termination{Limit: &limit, LimitField: row.field, LimitMaximum: row.most, Hint: "Make it do less."}
		assert.Equal(t, row.want, hintOf(said), row.name)
	}
}
