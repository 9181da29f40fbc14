package main

import (
	"encoding/json"
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
		assert.Equal(t, f.OK, f.Remedy == "", "%s: a remedy where something is missing, and there alone", f.Layer)
		rows[f.Layer] = f
	}
	return *d.WouldServe, rows
}

var layers = []string{
	"root", "user namespace", "mnt namespace", "pid namespace", "net namespace", "ipc namespace", "uts namespace",
	"cgroup namespace", "cgroup", "landlock", "seccomp filter", "seccomp notification",
	"interpreter: python", "interpreter: javascript", "broker", "broker_user", "state_dir", "socket", "tcp",
}

func TestDoctorFindsEveryLayer(t *testing.T) {
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

	served := invoke(t, "serve", "--config", file, "--socket", newSocket(t), "--state-dir", stateDir)
	assert.Equal(t, 125, served.code, "serve agrees with doctor")
	assert.Contains(t, served.stderr, "hint: safe-exec doctor says what this host lacks\n")
}
