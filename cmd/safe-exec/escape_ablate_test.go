//go:build safeexec_faults

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A technique that one layer alone stops, and one that two do.
func TestAblateCountsTheLayers(t *testing.T) {
	if os.Getenv("SAFEEXEC_VM") != "1" {
		t.Skip("for the virtual machine: make vmtest-full")
	}
	page := filepath.Join(t.TempDir(), "r.html")
	conf := program(t, "c.yaml", "enable_controllers: true\nstate_dir: "+t.TempDir()+"\n")
	var out, errs bytes.Buffer
	status := escapeBattery([]string{
		"--ablate", "--json", "--html", page, "--probe", "^(c2_splice|c4_fork)$", "--parallel", "2", "--config", conf,
	}, stdio{nil, &out, &errs})
	assert.Equal(t, exitFailed, status, errs.String())
	var report struct {
		Layers     []string
		Techniques []struct {
			Name    string
			Without []string `json:"escapes_without"`
		}
		Critical []string
		NotAsked []string `json:"not_asked"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &report), errs.String())
	t.Log(out.String())
	assert.Greater(t, len(report.Layers), 5)
	assert.Empty(t, report.NotAsked)
	assert.Equal(t, []string{"c2_splice"}, report.Critical)
	for _, technique := range report.Techniques {
		if technique.Name == "c2_splice" {
			assert.Equal(t, []string{"seccomp"}, technique.Without)
		}
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(text), "One layer alone stops, of severity C: 1")
}
