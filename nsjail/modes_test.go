package nsjail_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

var allModes = flag.Bool("all-modes", false, "run every row in every start mode, also where its answer cannot depend on it")

// modes are the ways to start a jail. What is true of a run must be so in each: a row
// runs in all of them, unless fewer names it.
var modes = []string{policy.StartCold, policy.StartWarm, policy.StartFork}

// inModes runs a row in the start modes that can make a difference to it, each as a
// subtest that runs beside the others.
func inModes(t *testing.T, row string, f func(t *testing.T, mode string)) {
	t.Helper()
	eachMode(t, modesOf(t.Name(), row), row, f)
}

// inEveryMode is for what a start mode itself has to bring about.
func inEveryMode(t *testing.T, row string, f func(t *testing.T, mode string)) {
	t.Helper()
	eachMode(t, modes, row, f)
}

func eachMode(t *testing.T, modes []string, row string, f func(t *testing.T, mode string)) {
	t.Helper()
	for _, mode := range modes {
		t.Run(strings.TrimPrefix(row+", "+mode, ", "), func(t *testing.T) {
			parallel(t)
			f(t, mode)
		})
	}
}

// parallel lets a test run beside others. In the virtual machine two at once are twice
// as slow.
func parallel(t *testing.T) {
	t.Helper()
	if !inVM {
		t.Parallel()
	}
}

// execute runs a program on the shared Runner and wants a verdict.
func execute(t *testing.T, mode string, req policy.Request) *policy.Result {
	t.Helper()
	result, err := shared.Execute(t.Context(), inMode(mode, unhurried(req)))
	require.NoError(t, err)
	return result
}

// inMode is a request for a jail that is made in one way.
func inMode(mode string, req policy.Request) policy.Request {
	req.StartMode, req.Privileged = mode, true
	return req
}
