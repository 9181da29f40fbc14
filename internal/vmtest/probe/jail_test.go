//go:build vmtest

package probe

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The machine's root has to be like a real one for a jail to be made in it.
func TestRootCanBePivotedInAUserNamespace(t *testing.T) {
	l := newLeaf(t, nil)
	cmd, _ := l.start("pivot", unix.CLONE_NEWUSER|unix.CLONE_NEWNS)
	code := ending(t, cmd.Wait())
	assert.Zero(t, code, unix.Errno(max(code, 0)).Error())
}

func TestInterpretersRun(t *testing.T) {
	for _, row := range []struct {
		name string
		argv []string
		want string
	}{
		{"python computes with a library written in C", []string{"/usr/bin/python3", "-I", "-S", "-c",
			"import json, hashlib, zoneinfo; print(json.dumps(hashlib.sha256(b'').hexdigest()[:8]))"}, `"e3b0c442"`},
		{"node computes and compresses", []string{"/usr/bin/node", "-e",
			"console.log(require('zlib').gunzipSync(require('zlib').gzipSync('e3b0')).toString())"}, "e3b0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, err := exec.Command(row.argv[0], row.argv[1:]...).CombinedOutput()
			require.NoError(t, err, string(out))
			assert.Equal(t, row.want, strings.TrimSpace(string(out)))
		})
	}
}
