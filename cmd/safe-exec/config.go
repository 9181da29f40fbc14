package main

import (
	"bytes"
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"

	"safe-exec/nsjail/lease"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// Default places. Both are made by serve if missing.
const (
	defaultSocket   = "/run/safe-exec/safe-exec.sock"
	defaultStateDir = "/var/lib/safe-exec"
)

// config is the operator's file: every key may be left out.
type config struct {
	Socket   string `yaml:"socket"`
	StateDir string `yaml:"state_dir"`
	// Group owns the socket: its members may run programs.
	Group string `yaml:"group"`
	// Runs is how many programs run at once, Queue how many more may wait.
	Runs  int `yaml:"runs"`
	Queue int `yaml:"queue"`
	// UIDs is the range of host uids that runs get.
	UIDs lease.Range `yaml:"uids"`
	// EnableControllers lets the daemon write its own cgroup's
	// subtree_control, which on cgroup v2 outside systemd nobody else does.
	EnableControllers bool `yaml:"enable_controllers"`
	// Profiles lays values over the built-in profiles, by name.
	Profiles map[string]yaml.Node `yaml:"profiles"`
}

func defaultConfig() config {
	return config{
		Socket: defaultSocket, StateDir: defaultStateDir, Group: "safe-exec",
		Runs: 8, Queue: 64, UIDs: lease.DefaultRange,
	}
}

// loadConfig reads the file at path over the defaults; no path is no file.
func loadConfig(path string) (config, error) {
	c := defaultConfig()
	if path == "" {
		return c, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	if c.Runs < 1 || c.Queue < 0 {
		return c, fmt.Errorf("%s: runs must be at least 1 and queue at least 0", path)
	}
	return c, nil
}

// profiles gives the built-in profiles with the operator's values over them.
func (c config) profiles() (map[string]policy.Profile, error) {
	all, err := profiles.Default()
	if err != nil {
		return nil, err
	}
	for name, overlay := range c.Profiles {
		p, ok := all[name]
		if !ok {
			return nil, fmt.Errorf("profiles: there is no profile %q", name)
		}
		if all[name], err = profiles.Overlay(p, overlay); err != nil {
			return nil, err
		}
	}
	return all, nil
}
