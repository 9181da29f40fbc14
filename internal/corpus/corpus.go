// Package corpus reads real programs with known results for tests. They are too
// many, and under other licences than this project, to be part of it.
package corpus

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Item is one program and what it does under a bare interpreter.
type Item struct {
	ID     string `json:"id"`
	Code   string `json:"code"`
	Expect struct {
		Status   int    `json:"status"`
		Stdout   string `json:"stdout"`
		LastLine string `json:"last_line"` // where the whole is not known
	} `json:"expect"`
}

// Read gives the items of a file. SAFEEXEC_CORPUS says in which folder it is,
// else it is looked for beside the project; without one the test is skipped, and
// says so.
func Read(t *testing.T, name string) []Item {
	t.Helper()
	dir, set := os.LookupEnv("SAFEEXEC_CORPUS")
	if !set {
		dir = "../../shared/corpus"
	}
	file, err := os.Open(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) && !set {
		t.Skipf("NO CORPUS: %s is not there, so no real programs were run; set SAFEEXEC_CORPUS to its folder", dir)
	}
	require.NoError(t, err)
	defer file.Close()
	var items []Item
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var item Item
		require.NoError(t, json.Unmarshal(lines.Bytes(), &item))
		items = append(items, item)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, items)
	return items
}
