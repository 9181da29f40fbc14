package vmtest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/vmtest/console"
)

// TestSuitesMakeAList: the machine takes no two commands of one name, and that
// would show only once somebody runs all of them.
func TestSuitesMakeAList(t *testing.T) {
	var commands []console.Command
	for _, s := range Suites {
		commands = append(commands, console.Command{Name: s.Label(), Argv: s.flags(), TimeoutMS: s.Timeout.Milliseconds()})
	}
	_, err := console.MarshalCommands(commands)
	assert.NoError(t, err)
}

// A pattern without a test runs nothing, or leaves nothing out.
func TestPatternsOfSuitesNameTests(t *testing.T) {
	for _, s := range Suites {
		files, err := filepath.Glob(filepath.Join("../..", s.Name, "*_test.go"))
		require.NoError(t, err)
		var text []byte
		for _, file := range files {
			one, err := os.ReadFile(file)
			require.NoError(t, err)
			text = append(text, one...)
		}
		for _, name := range regexp.MustCompile(`Test\w+`).FindAllString(s.Run+s.Skip, -1) {
			assert.Contains(t, string(text), "\nfunc "+name, "%s", s.Label())
		}
	}
}

func TestAnInitialRootThatWouldNotBootIsRefused(t *testing.T) {
	assert.NoError(t, bootable(mostInitrd))
	assert.ErrorContains(t, bootable(mostInitrd+1), "does not boot")
}
