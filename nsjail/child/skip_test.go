//go:build !safeexec_faults

package child

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/nsjail/wire"
)

func TestTheShippedBuildLeavesNothingOut(t *testing.T) {
	every := append(append(names(testPayload()), names(testInit())...), stepNames()...)
	for _, ns := range namespaces {
		every = append(every, "namespace_"+ns.name)
	}
	assert.Equal(t, names(testPayload()), names(testPayload(every...)))
	assert.Equal(t, names(testInit()), names(testInit(every...)))
	assert.Equal(t, cloneFlags(wire.Request{}), cloneFlags(wire.Request{Skip: every}))
	for _, name := range every {
		assert.False(t, skipped(every, name), name)
	}
}
