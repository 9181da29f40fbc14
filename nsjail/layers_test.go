package nsjail_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/landlock"
	"safe-exec/policy"
)

func TestLayersSayWhatThisKernelCanDo(t *testing.T) {
	result := execute(t, policy.StartFork, policy.Request{Language: "py", Code: "print(1)"})
	details := make(map[string]string)
	for _, l := range result.Layers {
		assert.Equal(t, "enforced", l.State, l.Name)
		details[l.Name] = l.Detail
	}
	abi, err := landlock.ABI()
	require.NoError(t, err)
	assert.Contains(t, details["landlock"], fmt.Sprintf("ABI %d", abi))
	for _, what := range landlock.Missing(abi) {
		assert.Contains(t, details["landlock"], what)
	}
	assert.Equal(t, shared.CgroupVersion(), details["cgroup"])
	if inVM {
		assert.Equal(t, "v2", details["cgroup"], "the machine is there for cgroup v2")
		assert.Equal(t, 2, abi, "and for a kernel whose Landlock controls less than the host's")
	}
}
