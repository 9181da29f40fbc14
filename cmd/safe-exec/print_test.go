package main

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

func TestAVerdictSaysEverythingOnce(t *testing.T) {
	for _, row := range []struct {
		name   string
		result policy.Result
		want   string
	}{
		{"a syntax error has its place in one line", policy.Result{Status: policy.Failed, Termination: policy.Termination{
			Reason: policy.ReasonSyntaxError, Line: 1, Column: 5, Message: "'(' was never closed", Hint: "Nothing ran: line 1, column 5: '(' was never closed.",
		}}, "safe-exec: failed: syntax_error\n  line 1, column 5: '(' was never closed\nhint: Nothing ran.\n"},
		{"a status that is its own reason is one word", policy.Result{Status: policy.Cancelled, Termination: policy.Termination{
			Reason: policy.ReasonCancelled, Hint: "h",
		}}, "safe-exec: cancelled\nhint: h\n"},
		{"a hint with a colon of its own is whole", policy.Result{Status: policy.Rejected, Termination: policy.Termination{
			Reason: policy.ReasonPolicyViolation, Hint: "Nothing ran: see above. Allowed imports: json.",
		}}, "safe-exec: rejected: policy_violation\nhint: Nothing ran: see above. Allowed imports: json.\n"},
		{"a hint that quotes a program is one line", policy.Result{Status: policy.Failed, Termination: policy.Termination{
			Reason: policy.ReasonException, Hint: "a\nb\x1bc",
		}}, "safe-exec: failed: exception\nhint: a\ufffdb\ufffdc\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var errs bytes.Buffer
			printVerdict(stdio{out: io.Discard, err: &errs}, &row.result, false)
			assert.Equal(t, row.want, errs.String())
		})
	}
}
