package nsjail_test

import (
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

// TestTheLargestProgramsEndInAVerdictOfTheirOwn runs what a caller can send at
// most under the default limits, where parsing it alone may take all the memory.
// Package profiles has the whole table, under the harness alone.
func TestTheLargestProgramsEndInAVerdictOfTheirOwn(t *testing.T) {
	const deep = 10000
	for _, row := range []struct{ name, language, code string }{
		{"statements", "python", strings.Repeat("x = 1\n", policy.MaxCodeBytes/6)},
		{"sums", "python", "a = 1\na" + strings.Repeat("+a", policy.MaxCodeBytes/2-4)},
		{"data", "python", "x = [" + strings.Repeat(`{"a":[1,2.5,"b"]},`, policy.MaxCodeBytes/18-1) + "]"},
		{"refused names", "python", strings.Repeat("é.__globals__\n", policy.MaxCodeBytes/16)},
		{"parentheses", "python", strings.Repeat("(", deep) + strings.Repeat(")", deep)},
		{"attributes", "python", "a = 1\na" + strings.Repeat(".real", deep)},
		{"statements", "javascript", strings.Repeat("x = 1;\n", policy.MaxCodeBytes/7)},
		{"sums", "javascript", "a=1;a" + strings.Repeat("+a", policy.MaxCodeBytes/2-4)},
		{"data", "javascript", "x=[" + strings.Repeat(`{"a":[1,2.5,"b"]},`, policy.MaxCodeBytes/18-1) + "]"},
		{"parentheses", "javascript", strings.Repeat("(", deep) + "1" + strings.Repeat(")", deep)},
		{"functions", "javascript", strings.Repeat("(function(){", deep) + strings.Repeat("})", deep)},
	} {
		inModes(t, row.language+", "+row.name, func(t *testing.T, mode string) {
			result := execute(t, mode, policy.Request{Language: row.language, Code: row.code})
			reasons := []policy.Reason{
				policy.ReasonCompleted, policy.ReasonException, policy.ReasonSyntaxError, policy.ReasonPolicyViolation,
				policy.ReasonMemoryLimit, policy.ReasonWallTimeout,
			}
			assert.Contains(t, reasons, result.Termination.Reason, "%s: %+v\n%.500s", result.Status, result.Termination, result.Stderr)
		})
	}
}

// TestAtTheEdgeOfTheDepthEveryStartComesToTheSameVerdict looks for the depth from which
// on a program is no program any more, and around it wants no failure of ours, no signal
// of a program that never ran, and where the interpreter counts levels and not bytes of
// its stack, the same of every mode to start.
func TestAtTheEdgeOfTheDepthEveryStartComesToTheSameVerdict(t *testing.T) {
	for _, row := range []struct {
		name, language, open, core string
		modes                      []string
	}{
		{"minus", "python", "-", "y.__dict__", []string{policy.StartCold, policy.StartWarm, policy.StartFork}},
		{"powers", "javascript", "2**", "process.y", []string{policy.StartWarm}},
		{"templates", "javascript", "`${", "", []string{policy.StartWarm}},
	} {
		t.Run(row.language+", "+row.name, func(t *testing.T) {
			parallel(t)
			end := func(depth int, mode string) policy.Termination {
				return execute(t, mode, policy.Request{Language: row.language, Code: "x=" + strings.Repeat(row.open, depth) + row.core}).Termination
			}
			tooDeep := func(depth int) bool {
				return strings.HasPrefix(end(depth, row.modes[0]).Message, "the program is nested too deeply")
			}
			edge := sort.Search(20000, tooDeep)
			assert.Less(t, edge, 20000, "no depth is too much")
			for depth := edge - 6; depth < edge+6; depth++ {
				first := end(depth, row.modes[0])
				assert.Contains(t, []policy.Reason{policy.ReasonCompleted, policy.ReasonException, policy.ReasonSyntaxError}, first.Reason, "%d deep: %+v", depth, first)
				for _, mode := range row.modes[1:] {
					assert.Equal(t, first, end(depth, mode), "%d deep, %s", depth, mode)
				}
			}
		})
	}
}
