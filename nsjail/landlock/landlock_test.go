package landlock

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

var config = Config{
	ReadExec: []string{"/usr"}, ReadWrite: []string{"/tmp"},
	ReadFiles: []string{"/dev/null"}, WriteFile: []string{"/dev/null"},
}

func TestRulesetByABI(t *testing.T) {
	for _, row := range []struct {
		name                   string
		abi                    int
		refer, truncate, ioctl bool
		network, signals       bool
		missing                int
	}{
		{"ABI 1 controls files alone", 1, false, false, false, false, false, 5},
		{"ABI 2 adds renames across directories", 2, true, false, false, false, false, 4},
		{"ABI 3 adds truncation", 3, true, true, false, false, false, 3},
		{"ABI 4 adds TCP", 4, true, true, false, true, false, 2},
		{"ABI 5 adds device ioctls", 5, true, true, true, true, false, 1},
		{"ABI 6 adds signals and abstract sockets", 6, true, true, true, true, true, 0},
		{"a later ABI asks for no more than is known", 99, true, true, true, true, true, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			attr, rules := config.Plan(row.abi)
			files, network, scopes := attr[0], attr[1], attr[2]
			assert.Equal(t, row.refer, files&refer != 0)
			assert.Equal(t, row.truncate, files&truncate != 0)
			assert.Equal(t, row.ioctl, files&ioctlDev != 0)
			assert.Equal(t, row.network, network == allNetworkABI4)
			assert.Equal(t, row.signals, scopes == allScopesABI6)
			assert.Len(t, Missing(row.abi), row.missing)
			for _, r := range rules {
				assert.Zero(t, r.Rights&^files, "a right that the ruleset does not handle is EINVAL")
			}
		})
	}
}

func TestWhatEachPathMayBeUsedFor(t *testing.T) {
	_, rules := config.Plan(7)
	rights := map[string]uint64{}
	for _, r := range rules {
		rights[r.Path] |= r.Rights
	}
	assert.Equal(t, map[string]uint64{
		"/usr":      readFile | readDir | execute,
		"/tmp":      readFile | readDir | writeFile | removeDir | removeFile | makeDir | makeReg | makeSym | makeFifo | makeSock | refer | truncate,
		"/dev/null": readFile | writeFile | truncate,
	}, rights)
}

// Enforcement is tested on a whole jail: a domain cannot be left again.
