//go:build !safeexec_faults

package child

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/nsjail/wire"
)

func TestTheShippedBuildLeavesNothingOut(t *testing.T) {
	every := slices.Concat(names(testPayload()), names(testInit()), coldInit(steps),
		names(testTemplate()), coldInit(templateSteps), forkedInit(testFork()))
	for _, ns := range namespaces {
		every = append(every, "namespace_"+ns.name)
	}
	assert.Equal(t, names(testPayload()), names(testPayload(every...)))
	assert.Equal(t, names(testInit()), names(testInit(every...)))
	assert.Equal(t, names(testTemplate()), names(testTemplate(every...)))
	assert.Equal(t, names(testSupervisor()), names(testSupervisor(every...)))
	assert.Equal(t, forkedInit(testFork()), forkedInit(testFork(every...)))
	assert.Equal(t, names(program{ops: testFork().payload}), names(program{ops: testFork(every...).payload}))
	assert.Equal(t, cloneFlags(wire.Request{}), cloneFlags(wire.Request{Skip: every}))
	for _, name := range every {
		assert.False(t, skipped(every, name), name)
	}
}
