package nsjail_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// What no tree shows ends the program while it runs, and only its own side says
// so.
func TestAPolicyThatIsBrokenAtRunTime(t *testing.T) {
	for _, row := range []struct {
		name, language, level, code string
		status                      policy.Status
		reason                      policy.Reason
		claimed                     bool
	}{
		{"a private name that a library is handed is a violation", "py", "strict", "import functools\nprint('ran')\nfunctools.update_wrapper(print, print, assigned=('__self' + '__',))",
			policy.Failed, policy.ReasonPolicyViolation, true},
		{"what goes past every name is a violation", "py", "strict", "import types\nprint('ran')\ntypes.CodeType(0, 0, 0, 0, 0, 0, b'', (), (), (), '', '', '', 0, b'', b'', (), ())",
			policy.Failed, policy.ReasonPolicyViolation, true},
		{"a refused name in the text of a checked eval is a violation", "py", "standard", "print('ran')\neval('().__class__.__subc' + 'lasses__()')",
			policy.Failed, policy.ReasonPolicyViolation, true},
		{"code that JavaScript makes from a string is a violation", "js", "strict", "console.log('ran'); const f = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(() => {}), 'con' + 'structor').value; f('return 1')()",
			policy.Failed, policy.ReasonPolicyViolation, true},
		{"a refused name that is caught is no more than an error", "py", "standard", "print('ran')\ntry: eval('().__class__.__subc' + 'lasses__()')\nexcept Exception as e: print(type(e).__name__)",
			policy.Succeeded, policy.ReasonCompleted, false},
		{"the exit status alone says the same at a restricted level", "py", "strict", "print('ran')\nraise SystemExit(92)",
			policy.Failed, policy.ReasonPolicyViolation, true},
		{"and nothing where there is no policy to break", "py", relaxed, "print('ran')\nraise SystemExit(92)",
			policy.Failed, policy.ReasonExitNonzero, false},
	} {
		inModes(t, row.name, func(t *testing.T, mode string) {
			r := execute(t, mode, policy.Request{Language: row.language, Level: row.level, Code: row.code})
			require.Equal(t, row.status, r.Status, "%+v\n%s\n%+v", r.Termination, r.Stderr, r.Violations)
			assert.Equal(t, row.reason, r.Termination.Reason, "%s", r.Stderr)
			assert.Equal(t, row.claimed, r.Termination.Claimed)
			assert.Contains(t, r.Stdout, "ran\n", "it was no refusal before the run")
			assert.Empty(t, r.Violations)
			if row.claimed {
				require.NotNil(t, r.ExitCode)
				assert.Equal(t, 1, *r.ExitCode, "as a bare interpreter would")
			}
		})
	}
}
