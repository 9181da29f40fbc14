//go:build safeexec_faults

package battery

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/escape"
	"safe-exec/nsjail/initbin"
	"safe-exec/nsjail/landlock"
)

// single are the techniques of severity C that one layer alone stops on this
// kernel, by layer; the threat model says of each why there is no second.
func single(t *testing.T) map[string][]string {
	t.Helper()
	list := map[string][]string{
		"seccomp": {
			"c2_splice", "c2_vmsplice", "c3_socket_global_family",
			"c4_bpf", "c4_clone3_child", "c4_fanotify", "c4_io_uring", "c4_perf_event",
		},
	}
	const scopes = 6 // Landlock's ABI, from which on it bounds signals
	abi, err := landlock.ABI()
	require.NoError(t, err)
	if abi < scopes {
		list["identity"] = []string{"c2_kill_init", "c2_kill_init_node", "c2_kill_parent", "c2_kill_parent_node", "c2_tgkill_init"}
	}
	if _, err := os.Stat("/proc/sys/vm/memfd_noexec"); err != nil {
		list["seccomp"] = append(list["seccomp"], "c4_program_in_memory")
	}
	return list
}

func TestEverySevereTechniqueMeetsTwoLayers(t *testing.T) {
	s := start(t)
	known := single(t)
	for _, layer := range escape.Layers {
		t.Run("without "+layer.Name, func(t *testing.T) {
			s.Trace = t.Logf
			ablation, err := s.Ablate(t.Context(), severe(s.Probes), atOnce, initbin.Faults(), layer)
			require.NoError(t, err)
			var text strings.Builder
			require.NoError(t, ablation.Text(&text))
			t.Log(text.String())
			assert.Empty(t, ablation.Broken)
			assert.ElementsMatch(t, known[layer.Name], ablation.Critical())
		})
	}
}
