package nsjail_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// TestRealProgramsRunInRealJails runs a sample of the real programs that
// package profiles runs under the harness alone, which is where the corpus and
// its place are described.
func TestRealProgramsRunInRealJails(t *testing.T) {
	dir, set := os.LookupEnv("SAFEEXEC_CORPUS")
	if !set {
		dir = "../../shared/corpus"
	}
	const step = 40 // a run in a jail takes longer than one under the harness alone
	for _, row := range []struct{ file, language string }{
		{"humaneval.jsonl", "python"}, {"mbpp.jsonl", "python"}, {"js_humaneval_x.jsonl", "javascript"},
	} {
		t.Run(row.file, func(t *testing.T) {
			file, err := os.Open(filepath.Join(dir, row.file))
			if os.IsNotExist(err) && !set {
				t.Skipf("NO CORPUS: %s is not there, so no real programs were run; set SAFEEXEC_CORPUS to its folder", dir)
			}
			require.NoError(t, err)
			defer file.Close()
			lines := bufio.NewScanner(file)
			lines.Buffer(nil, 1<<20)
			ran := 0
			for n := 0; lines.Scan(); n++ {
				if n%step != 0 {
					continue
				}
				var item struct {
					ID, Code string
					Expect   struct {
						Stdout   string
						LastLine string `json:"last_line"` // where the whole is not known
					}
				}
				require.NoError(t, json.Unmarshal(lines.Bytes(), &item))
				for _, level := range []string{"strict", "standard"} {
					result := execute(t, policy.Request{Language: row.language, Code: item.Code, Level: level})
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
			require.NoError(t, lines.Err())
			assert.Greater(t, ran, 5)
		})
	}
}
