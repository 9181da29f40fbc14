//go:build safeexec_faults

package child

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// TestTheFaultyBuildLeavesOutWhatItIsTold: else a test that leaves a layer out
// would pass by leaving out nothing.
func TestTheFaultyBuildLeavesOutWhatItIsTold(t *testing.T) {
	without := func(list []string, name string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == name })
	}
	for _, name := range names(testPayload()) {
		t.Run("payload without "+name, func(t *testing.T) {
			assert.Equal(t, without(names(testPayload()), name), names(testPayload(name)))
		})
	}
	for _, name := range slices.Compact(names(testSupervisor())) {
		t.Run("cold init without "+name, func(t *testing.T) {
			assert.Equal(t, without(names(testSupervisor()), name), names(testSupervisor(name)))
		})
	}
	for _, name := range slices.Compact(forkedInit(testFork())) {
		if name != "payload" { // the fork itself
			t.Run("forked init without "+name, func(t *testing.T) {
				assert.Equal(t, without(forkedInit(testFork()), name), forkedInit(testFork(name)))
			})
		}
	}
	t.Run("init without bounding_set", func(t *testing.T) {
		assert.Equal(t, without(names(testInit()), "bounding_set"), names(testInit("bounding_set")))
	})
	var every []string
	for _, ns := range namespaces {
		every = append(every, "namespace_"+ns.name)
	}
	t.Run("even without every namespace there is a user namespace", func(t *testing.T) {
		assert.Equal(t, uint64(unix.CLONE_NEWUSER), cloneFlags(wire.Request{Skip: every}))
	})
}
