//go:build safeexec_faults

package battery

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// singleLayer are the techniques of severity C that one layer alone stops; the
// threat model says of each why there is no second.
var singleLayer = []string{"c2_splice", "c2_vmsplice", "c3_socket_global_family"}

func TestEverySevereTechniqueMeetsTwoLayers(t *testing.T) {
	s := start(t)
	faults, err := os.ReadFile("../../nsjail/initbin/build/safe-exec-init-faults")
	require.NoError(t, err)
	ablation, err := s.Ablate(t.Context(), severe(s.Probes), faults)
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, ablation.Text(&text))
	t.Log(text.String())
	assert.Empty(t, ablation.Broken)
	assert.Subset(t, singleLayer, ablation.Critical())
}
