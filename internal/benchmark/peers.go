package benchmark

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// peer is another sandbox that can run one command and end. Its flags are the
// nearest it has to a jail of ours: all namespaces, no network, the host's
// files read-only as far as the interpreter needs them, no capabilities.
// Limits of memory and of system calls are left out where they need more than a
// flag, which makes the peer faster than a fair comparison would.
type peer struct {
	name   string
	before []string // arguments of a command that is run once, nil for none
	args   func(roots []string) []string
}

var peers = []peer{
	{"bwrap", nil, func(roots []string) []string {
		args := []string{"--unshare-all", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL",
			"--die-with-parent", "--new-session", "--clearenv"}
		return append(append(args, each("--ro-bind", roots, true)...), "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/", "--")
	}},
	{"nsjail", nil, func(roots []string) []string {
		args := []string{"-Mo", "--really_quiet", "--disable_proc", "--user", "65534", "--group", "65534",
			"--rlimit_as", "inf", "--rlimit_fsize", "64", "-R", "/dev/null", "-R", "/dev/urandom", "-T", "/tmp"}
		return append(append(args, each("-R", roots, false)...), "--")
	}},
	{"isolate", []string{"--init"}, func(roots []string) []string {
		return []string{"--silent", "--processes=64", "--wall-time=30", "--run", "--"}
	}},
	{"firejail", nil, func(roots []string) []string {
		return []string{"--quiet", "--noprofile", "--net=none", "--ipc-namespace", "--private-dev", "--private-tmp",
			"--read-only=/", "--caps.drop=all", "--nonewprivs", "--seccomp", "--"}
	}},
	{"systemd-run", nil, func(roots []string) []string {
		args := []string{"--quiet", "--pipe", "--wait", "--collect"}
		for _, p := range []string{"DynamicUser=yes", "PrivateNetwork=yes", "PrivateIPC=yes", "PrivateDevices=yes", "PrivateTmp=yes",
			"ProtectSystem=strict", "NoNewPrivileges=yes", "CapabilityBoundingSet=", "MemoryMax=256M", "TasksMax=64"} {
			args = append(args, "-p", p)
		}
		return append(args, "--")
	}},
}

// Peers lists the sandboxes that there is a command line for.
func Peers() []string {
	var names []string
	for _, p := range peers {
		names = append(names, p.name)
	}
	return names
}

// findPeers looks for those that were asked for and tries each once. One that
// is not there or does not run is named in the report.
func (b *bench) findPeers(ctx context.Context) error {
	if err := CheckNames("peer", b.Peers, Peers()); err != nil {
		return err
	}
	for _, p := range peers {
		if !slices.Contains(b.Peers, p.name) {
			continue
		}
		state := PeerState{Name: p.name, State: "measured"}
		w, err := p.way(ctx, b.Languages)
		switch {
		case w == nil && err == nil:
			state.State = "not installed"
		case err != nil:
			state.State, state.Detail = "failed", err.Error()
		default:
			b.peers = append(b.peers, *w)
		}
		b.report.Peers = append(b.report.Peers, state)
	}
	return nil
}

// way is nil without an error where the peer is not installed.
func (p peer) way(ctx context.Context, languages []Language) (*way, error) {
	path, err := exec.LookPath(p.name)
	if err != nil {
		return nil, nil //nolint:nilerr // it is not installed
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if p.before != nil {
		if _, err := command(ctx, append([]string{path}, p.before...)); err != nil {
			return nil, fmt.Errorf("%s %v: %w", p.name, p.before, err)
		}
	}
	w := wrapped(p.name, func(l Language) []string {
		return append([]string{path}, p.args(roots(l.Bare[0]))...)
	})
	for _, l := range languages {
		if _, err := w.run(ctx, hello(l)); err != nil {
			return nil, err
		}
	}
	return &w, nil
}

// roots are the host's directories that an interpreter needs.
func roots(interpreter string) []string {
	var there []string
	for _, dir := range []string{"/usr", "/lib", "/lib64"} {
		if _, err := os.Stat(dir); err == nil {
			there = append(there, dir)
		}
	}
	if !slices.Contains([]string{"/usr/bin", "/usr/local/bin"}, filepath.Dir(interpreter)) {
		there = append(there, filepath.Dir(filepath.Dir(interpreter)))
	}
	return there
}

// each puts a flag before every path, and the path once more where the flag
// wants source and target.
func each(flag string, paths []string, twice bool) []string {
	var args []string
	for _, p := range paths {
		args = append(args, flag, p)
		if twice {
			args = append(args, p)
		}
	}
	return args
}
