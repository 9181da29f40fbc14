package observe_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

func TestWhatBecameOfARun(t *testing.T) {
	checked := func(would bool, reason policy.Reason) observe.Run {
		return observe.Run{Check: &policy.CheckResult{WouldRun: would, Termination: policy.Termination{Reason: reason}}}
	}
	for _, row := range []struct {
		name   string
		run    observe.Run
		status policy.Status
		code   policy.Code
	}{
		{"a verdict is taken as it is", observe.Run{Result: &policy.Result{Status: policy.TimedOut}}, policy.TimedOut, ""},
		{"a check that would run", checked(true, ""), policy.Succeeded, ""},
		{"a check that found a syntax error failed, as the run would", checked(false, policy.ReasonSyntaxError), policy.Failed, ""},
		{"a check that the policy refused", checked(false, policy.ReasonPolicyViolation), policy.Rejected, ""},
		{"a check that took too long", checked(false, policy.ReasonWallTimeout), policy.TimedOut, ""},
		{"a check that took too much memory", checked(false, policy.ReasonMemoryLimit), policy.Failed, ""},
		{"a check whose caller went away", checked(false, policy.ReasonCancelled), policy.Cancelled, ""},
		{"an error without a code is ours", observe.Run{Err: errors.New("x")}, policy.Errored, policy.CodeInternal},
		{"no end at all is ours", observe.Run{}, policy.Errored, policy.CodeInternal},
		{"an error in an error", observe.Run{Err: fmt.Errorf("x: %w", &policy.Error{Code: policy.CodeInvalid})}, observe.Refused, policy.CodeInvalid},
	} {
		t.Run(row.name, func(t *testing.T) {
			status, code := observe.StatusOf(row.run)
			assert.Equal(t, row.status, status)
			assert.Equal(t, row.code, code)
		})
	}
}

// Each code there is belongs to one of the two: a new one has to be decided on.
func TestOurFailuresAreErrorsAndTheCallersAreNot(t *testing.T) {
	ours := map[policy.Code]bool{policy.CodeSetup: true, policy.CodeUnavailable: true, policy.CodeInternal: true}
	file, err := parser.ParseFile(token.NewFileSet(), "../../policy/error.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	found := 0
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, one := range group.Specs {
			spec := one.(*ast.ValueSpec)
			if kind, _ := spec.Type.(*ast.Ident); kind == nil || kind.Name != "Code" {
				continue
			}
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			found++
			status, _ := observe.StatusOf(observe.Run{Err: &policy.Error{Code: policy.Code(text)}})
			assert.Equal(t, ours[policy.Code(text)], status == policy.Errored, text)
		}
	}
	assert.Greater(t, found, 8)
}
