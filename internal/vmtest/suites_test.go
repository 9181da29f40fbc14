package vmtest

import (
	"testing"

	"github.com/stretchr/testify/assert"

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

func TestAnInitialRootThatWouldNotBootIsRefused(t *testing.T) {
	assert.NoError(t, bootable(mostInitrd))
	assert.ErrorContains(t, bootable(mostInitrd+1), "does not boot")
}
