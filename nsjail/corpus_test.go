package nsjail_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/internal/corpus"
	"safe-exec/policy"
)

// TestRealProgramsRunInRealJails runs a sample of the real programs that
// package profiles runs under the harness alone.
func TestRealProgramsRunInRealJails(t *testing.T) {
	const step = 40 // a run in a jail takes longer than one under the harness alone
	for _, row := range []struct{ file, language string }{
		{"humaneval.jsonl", "python"}, {"mbpp.jsonl", "python"}, {"js_humaneval_x.jsonl", "javascript"},
	} {
		inModes(t, row.file, func(t *testing.T, mode string) {
			ran := 0
			for n, item := range corpus.Read(t, row.file) {
				if n%step != 0 {
					continue
				}
				for _, level := range []string{"strict", "standard"} {
					result := execute(t, mode, policy.Request{Language: row.language, Code: item.Code, Level: level})
					if level == "strict" && result.Status == policy.Rejected {
						continue // what may be refused is asked under the harness alone
					}
					assert.Equal(t, policy.Succeeded, result.Status, "%s at %s: %+v\n%s", item.ID, level, result.Termination, result.Stderr)
					if last := item.Expect.LastLine; last != "" {
						assert.True(t, strings.HasSuffix("\n"+result.Stdout, "\n"+last+"\n"), "%s: %s", item.ID, result.Stdout)
					} else {
						assert.Equal(t, item.Expect.Stdout, result.Stdout, item.ID)
					}
					ran++
				}
			}
			assert.Greater(t, ran, 5)
		})
	}
}
