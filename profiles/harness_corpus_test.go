package profiles_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
)

// corpusStep takes every nth program: a sample that a busy machine finishes.
const corpusStep = 5

type corpusItem struct {
	ID     string `json:"id"`
	Code   string `json:"code"`
	Expect struct {
		Status   int    `json:"status"`
		Stdout   string `json:"stdout"`
		LastLine string `json:"last_line"` // where the whole is not known
	} `json:"expect"`
}

// corpus reads a file of real programs with known results, which is too large
// and under other licences than this project: SAFEEXEC_CORPUS says where it is.
func corpus(t *testing.T, name string) []corpusItem {
	t.Helper()
	dir, set := os.LookupEnv("SAFEEXEC_CORPUS")
	if !set {
		dir = "../../shared/corpus"
	}
	file, err := os.Open(filepath.Join(dir, name))
	if os.IsNotExist(err) && !set {
		t.Skipf("NO CORPUS: %s is not there, so no real programs were run; set SAFEEXEC_CORPUS to its folder", dir)
	}
	require.NoError(t, err)
	defer file.Close()
	var items []corpusItem
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for n := 0; lines.Scan(); n++ {
		if n%corpusStep != 0 {
			continue
		}
		var item corpusItem
		require.NoError(t, json.Unmarshal(lines.Bytes(), &item))
		items = append(items, item)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, items)
	return items
}

func TestRealProgramsRunWithTheirKnownResults(t *testing.T) {
	rows := []struct {
		file string
		interpreter
		job     func(string) wire.Job
		refused float64 // at most this share may be refused by the lists
	}{
		{"humaneval.jsonl", python, strictPython, 0.05},
		{"mbpp.jsonl", python, strictPython, 0.10},
		{"js_humaneval_x.jsonl", javascript, strictJavaScript, 0},
	}
	for _, row := range rows {
		t.Run(row.file, func(t *testing.T) {
			items := corpus(t, row.file)
			refused := 0
			for _, item := range items {
				out := run(t, row.interpreter, row.job(item.Code))
				if out.kind == wire.Violations {
					refused++
					list, err := wire.DecodeViolations(out.payload)
					require.NoError(t, err)
					for _, v := range list {
						assert.Contains(t, []string{"import_not_allowed", "import_blocked", "name_blocked"}, v.Rule, "%s: %s", item.ID, v.Message)
					}
					continue
				}
				assert.Equal(t, "A", string(rune(out.kind)), "%s: %q", item.ID, out.payload)
				assert.Equal(t, item.Expect.Status, out.exit, "%s: %s", item.ID, out.stderr)
				if last := item.Expect.LastLine; last != "" {
					assert.True(t, strings.HasSuffix("\n"+out.stdout, "\n"+last+"\n"), "%s: %s", item.ID, out.stdout)
				} else {
					assert.Equal(t, item.Expect.Stdout, out.stdout, item.ID)
				}
			}
			t.Logf("%d programs, %d refused by the lists", len(items), refused)
			assert.LessOrEqual(t, float64(refused), row.refused*float64(len(items)))
		})
	}
}
