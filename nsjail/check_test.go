package nsjail_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestAProgramThatIsOnlyChecked(t *testing.T) {
	for _, row := range []struct {
		name, language, level, code string
		deny                        []string
		wouldRun                    bool
		reason                      policy.Reason
		imports                     []string
		check                       func(*testing.T, *policy.CheckResult)
	}{
		{name: "would run, and says what it imports", language: "py", code: "import re, json\nfrom xml.etree import ElementTree\nprint(json.dumps(1))",
			wouldRun: true, reason: policy.ReasonCompleted, imports: []string{"json", "re", "xml.etree.ElementTree"}},
		{name: "would run in JavaScript", language: "js", code: "const url = require('url'); console.log(1)",
			wouldRun: true, reason: policy.ReasonCompleted, imports: []string{"url"}},
		{name: "runs nothing, not even for ever", language: "py", code: "while True: print('x')",
			wouldRun: true, reason: policy.ReasonCompleted, imports: []string{}},
		{name: "runs nothing of an unrestricted level either", language: "py", level: relaxed, code: "import os, socket\nos.abort()",
			wouldRun: true, reason: policy.ReasonCompleted, imports: []string{"os", "socket"}},
		{name: "is refused with all its places", language: "py", code: "import os\nx = open('a')",
			reason: policy.ReasonPolicyViolation, imports: []string{}, check: func(t *testing.T, r *policy.CheckResult) {
				require.Len(t, r.Violations, 2)
				assert.Equal(t, []any{"os", 1, "open", 2}, []any{r.Violations[0].Name, r.Violations[0].Line, r.Violations[1].Name, r.Violations[1].Line})
			}},
		{name: "is refused what the request denies", language: "py", code: "import random", deny: []string{"random"},
			reason: policy.ReasonPolicyViolation, imports: []string{}, check: func(t *testing.T, r *policy.CheckResult) {
				assert.Equal(t, []string{"random"}, r.PolicyDeny)
				assert.Contains(t, r.Violations[0].Message, "random")
			}},
		{name: "is refused a name that is put together where only constant ones are allowed", language: "py", level: "standard", code: "getattr(1, 'real'); getattr(1, '__cl' + 'ass__')",
			reason: policy.ReasonPolicyViolation, imports: []string{}, check: func(t *testing.T, r *policy.CheckResult) {
				require.Len(t, r.Violations, 1)
				assert.Equal(t, "getattr", r.Violations[0].Name)
				assert.Greater(t, r.Violations[0].Column, 18)
			}},
		{name: "would run with constant names where those are allowed", language: "py", level: "standard", code: "print(getattr(1, 'real'))",
			wouldRun: true, reason: policy.ReasonCompleted, imports: []string{}},
		{name: "counts the imports that it does not list", language: "py", level: relaxed, code: "import a" + manyNames(2999),
			wouldRun: true, reason: policy.ReasonCompleted, check: func(t *testing.T, r *policy.CheckResult) {
				assert.Len(t, r.Imports, 1000)
				assert.Equal(t, "imports: 3000, of which 1000 are listed", r.Termination.Evidence[0].Value)
				assert.Contains(t, r.Termination.Hint, "imports lists 1000 of its 3000 modules")
			}},
		{name: "is no program", language: "py", code: "x = 1\ny = = 2\n",
			reason: policy.ReasonSyntaxError, imports: []string{}, check: func(t *testing.T, r *policy.CheckResult) {
				assert.Equal(t, []int{2, 5}, []int{r.Termination.Line, r.Termination.Column})
			}},
		{name: "is no program in JavaScript", language: "js", code: "let y = = 2;\n",
			reason: policy.ReasonSyntaxError, imports: []string{}},
	} {
		inModes(t, row.name, func(t *testing.T, mode string) {
			r, err := shared.CheckProgram(t.Context(), inMode(mode, policy.Request{Language: row.language, Level: row.level, Code: row.code, Deny: row.deny}))
			require.NoError(t, err)
			assert.Equal(t, row.wouldRun, r.WouldRun, "%+v %+v", r.Termination, r.Violations)
			assert.Equal(t, row.reason, r.Termination.Reason)
			if row.imports != nil {
				assert.Equal(t, row.imports, r.Imports)
			}
			assert.NotEmpty(t, r.Termination.Hint)
			assert.NotEmpty(t, r.Termination.Evidence)
			assert.NotEmpty(t, r.Layers)
			assert.EqualValues(t, 5000, r.LimitsApplied.TimeoutMS)
			assert.Zero(t, r.Metrics.StdoutBytes)
			if row.check != nil {
				row.check(t, r)
			}
		})
	}
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",a%d", i)
	}
	return b.String()
}

// A check says of a program what a run says of it before it begins.
func TestACheckAgreesWithARun(t *testing.T) {
	for _, row := range []struct{ language, code string }{
		{"py", "import json"}, {"py", "import os\nopen"}, {"py", "x = ("}, {"py", "().__class__.__subclasses__"},
		{"js", "require('url')"}, {"js", "let x = ("},
	} {
		inModes(t, row.language+" "+row.code, func(t *testing.T, mode string) {
			req := policy.Request{Language: row.language, Code: row.code}
			checked, err := shared.CheckProgram(t.Context(), inMode(mode, req))
			require.NoError(t, err)
			ran := execute(t, mode, req)
			assert.Equal(t, ran.Status == policy.Succeeded, checked.WouldRun)
			assert.Equal(t, ran.Violations, checked.Violations)
			assert.Equal(t, ran.Termination.Reason, checked.Termination.Reason)
		})
	}
}

func TestARequestGetsNoMoreThanItsCeiling(t *testing.T) {
	for _, row := range []struct {
		name string
		req  policy.Request
		want policy.Code // none: it runs
	}{
		{"below the ceiling it runs", policy.Request{Level: "strict", Ceiling: "standard"}, ""},
		{"above the ceiling it does not", policy.Request{Level: relaxed, Ceiling: "strict"}, policy.CodeForbidden},
		{"root is no exception", policy.Request{Level: relaxed, Ceiling: "strict", Privileged: true}, policy.CodeForbidden},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.req.Language, row.req.Code = "py", "print(1)"
			_, ran := shared.Execute(t.Context(), row.req)
			_, checked := shared.CheckProgram(t.Context(), row.req)
			for _, err := range []error{ran, checked} {
				if row.want == "" {
					assert.NoError(t, err)
					continue
				}
				var e *policy.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, row.want, e.Code)
			}
		})
	}
}
