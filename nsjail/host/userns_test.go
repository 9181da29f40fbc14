package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhetherTemplatesMayFork(t *testing.T) {
	for _, row := range []struct {
		name, file, value string
		remedy            string // a part of it; empty where nothing forbids them
	}{
		{"a kernel without a restriction", "", "", ""},
		{"Debian's sysctl allows it", "unprivileged_userns_clone", "1\n", ""},
		{"Debian's sysctl forbids it", "unprivileged_userns_clone", "0\n", "kernel.unprivileged_userns_clone=1"},
		{"AppArmor allows it", "apparmor_restrict_unprivileged_userns", "0\n", ""},
		{"AppArmor forbids it", "apparmor_restrict_unprivileged_userns", "1\n", "kernel.apparmor_restrict_unprivileged_userns=0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, "kernel"), 0o755))
			if row.file != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "kernel", row.file), []byte(row.value), 0o600))
			}
			f := forks(dir)
			assert.True(t, f.OK, "serve starts either way")
			if row.remedy == "" {
				assert.Empty(t, f.Remedy)
				return
			}
			assert.Contains(t, f.Remedy, row.remedy)
		})
	}
}
