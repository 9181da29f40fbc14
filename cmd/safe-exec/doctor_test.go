package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// diagnosis is what doctor --json prints.
type diagnosis struct {
	WouldServe *bool     `json:"would_serve"`
	Findings   []finding `json:"findings"`
}

func diagnose(t *testing.T, text string) (bool, map[string]finding) {
	t.Helper()
	var d diagnosis
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&d))
	require.NotNil(t, d.WouldServe)
	rows := make(map[string]finding)
	for _, f := range d.Findings {
		assert.NotContains(t, rows, f.Layer)
		assert.NotEmpty(t, f.UsedFor, f.Layer)
		assert.NotEmpty(t, f.Detail, f.Layer)
		assert.Equal(t, f.OK && !f.Warning, f.Remedy == "", "%s: a remedy where something is missing, and there alone", f.Layer)
		rows[f.Layer] = f
	}
	return *d.WouldServe, rows
}

var layers = []string{
	"root", "user namespace", "mnt namespace", "pid namespace", "net namespace", "ipc namespace", "uts namespace",
	"cgroup namespace", "cgroup", "landlock", "seccomp filter", "seccomp notification",
	"interpreter: python", "interpreter: javascript", "broker", "broker_user", "state_dir", "socket", "group", "tcp", "self-test",
}

func TestDoctorFindsEveryLayer(t *testing.T) {
	t.Parallel()
	place := []string{"--socket", newSocket(t), "--state-dir", newState(t)}
	got := invoke(t, append([]string{"doctor"}, place...)...)
	assert.Zero(t, got.code, got.stdout)
	assert.Empty(t, got.stderr)
	assert.NotContains(t, got.stdout, "MISSING")
	assert.Contains(t, got.stdout, "safe-exec serve would start\n")

	asJSON := invoke(t, append([]string{"doctor", "--json"}, place...)...)
	assert.Zero(t, asJSON.code)
	good, rows := diagnose(t, asJSON.stdout)
	assert.True(t, good)
	for _, layer := range layers {
		assert.True(t, rows[layer].OK, layer)
		assert.Contains(t, got.stdout, layer)
	}
}

func TestDoctorSaysThatRootIsMissing(t *testing.T) {
	got := invokeAs(t, nobody(0), "", "doctor")
	assert.Equal(t, 1, got.code)
	assert.Regexp(t, `(?m)^MISSING  root +this is uid 65534$`, got.stdout)
	assert.Contains(t, got.stdout, "do:  start it as root")
	assert.Contains(t, got.stdout, "safe-exec serve would refuse to start\n")
	assert.Contains(t, got.stdout, "only root can tell for certain")

	asJSON := invokeAs(t, nobody(0), "", "doctor", "--json")
	assert.Equal(t, 1, asJSON.code)
	good, rows := diagnose(t, asJSON.stdout)
	assert.False(t, good)
	assert.False(t, rows["root"].OK)
}

func TestDoctorReadsTheConfiguration(t *testing.T) {
	file := program(t, "c.yaml", "profiles:\n  python:\n    interpreter: /nope/python3\n")
	got := invoke(t, "doctor", "--json", "--config", file, "--socket", newSocket(t), "--state-dir", newState(t))
	assert.Equal(t, 1, got.code)
	good, rows := diagnose(t, got.stdout)
	assert.False(t, good)
	assert.False(t, rows["interpreter: python"].OK)
	assert.Contains(t, rows["interpreter: python"].Detail, "/nope")
	assert.Contains(t, rows["interpreter: python"].Remedy, "profiles.python.interpreter")
	assert.True(t, rows["interpreter: javascript"].OK)

	served := invoke(t, "serve", "--config", file, "--socket", newSocket(t), "--state-dir", newState(t))
	assert.Equal(t, 125, served.code, "serve agrees with doctor")
	assert.Contains(t, served.stderr, "hint: safe-exec doctor says what this host lacks\n")
}

// Without a group the daemon starts, and whoever is not root learns it too late.
func TestDoctorSaysWhoMayConnect(t *testing.T) {
	needRoot(t)
	for _, row := range []struct {
		name, group string
		mode        os.FileMode // of the socket's directory
		warning     bool
		want        string
	}{
		{"a group that there is", "daemon", 0o755, false, "members of daemon, gid 1"},
		{"one that there is not", "nosuchgroup", 0o755, true, `there is no group "nosuchgroup": only root may run programs by the socket`},
		{"none", "", 0o755, true, `there is no group "": only root may run programs by the socket`},
		{"one that cannot come near", "daemon", 0o700, true, "members of daemon cannot enter DIR"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Chmod(dir, row.mode))
			got := config{Socket: filepath.Join(dir, "s"), Group: row.group}.lookGroup().finding()
			assert.Equal(t, strings.ReplaceAll(row.want, "DIR", dir), got.Detail)
			assert.True(t, got.OK, "serve would start")
			assert.Equal(t, row.warning, got.Warning)
			assert.Equal(t, row.warning, got.Remedy != "")
			var out strings.Builder
			printFindings(stdio{out: &out}, []finding{got}, true)
			assert.Equal(t, row.warning, strings.HasPrefix(out.String(), "warning  group "), out.String())
		})
	}
}
