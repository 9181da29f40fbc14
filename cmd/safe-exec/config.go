package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
	"golang.org/x/sys/unix"

	"safe-exec/internal/strictyaml"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail"
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
	// Runs is how many programs run at once for callers that wait; Queue is how many
	// more callers may wait for a place.
	Runs  int `yaml:"runs"`
	Queue int `yaml:"queue"`
	// Jobs are the runs that nobody waits for.
	Jobs jobsConfig `yaml:"jobs"`
	// Spares are the jails that wait for a run to come.
	Spares spares `yaml:"spares"`
	// UIDs is the range of host uids that runs get.
	UIDs lease.Range `yaml:"uids"`
	// BrokerUser is who the process is that talks to callers: a name or a number,
	// which is the gid, too. Empty is safe-exec-broker where there is such a user,
	// else defaultBrokerUID.
	BrokerUser string `yaml:"broker_user"`
	// EnableControllers lets the daemon write its own cgroup's
	// subtree_control, which on cgroup v2 outside systemd nobody else does.
	EnableControllers bool `yaml:"enable_controllers"`
	// PythonFull adds the profile python-full, which root may choose: the whole
	// standard library, for looking at the kernel layers from inside.
	PythonFull bool `yaml:"python_full"`
	// CheckInterval is how often the short form of the escape battery is run
	// again. A layer that does not hold stops new runs.
	CheckInterval time.Duration `yaml:"check_interval"`
	// Callers have allowances of their own; the first entry that fits decides.
	Callers []caller `yaml:"callers"`
	// Others is for everybody who is not among Callers.
	Others grant `yaml:"others"`
	// TCP is an address beside the socket, for holders of tokens.
	TCP tcpConfig `yaml:"tcp"`
	// Audit is the ledger of runs.
	Audit auditConfig `yaml:"audit"`
	// Profiles lays values over the built-in profiles, by name.
	Profiles map[string]yaml.Node `yaml:"profiles"`
}

// spares is nsjail.Spares as an operator writes it: of each language's default
// kind, floor jails always wait; of a kind that is in use, up to ceiling; all of
// them together use at most memory_mb. A ceiling of 0 keeps none.
type spares struct {
	Floor    int   `yaml:"floor"`
	Ceiling  int   `yaml:"ceiling"`
	MemoryMB int64 `yaml:"memory_mb"`
}

// defaultSpareMB leaves a small host most of its memory.
func defaultSpareMB() int64 {
	const most = nsjail.DefaultSpareMB
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return most / 4
	}
	return min(most, int64(info.Totalram)*int64(info.Unit)/(8<<20))
}

func defaultConfig() config {
	return config{
		Socket: defaultSocket, StateDir: defaultStateDir, Group: "safe-exec",
		Runs: 8, Queue: 64, Jobs: defaultJobs(), Spares: spares{Floor: 1, Ceiling: 16, MemoryMB: defaultSpareMB()}, UIDs: lease.DefaultRange,
		CheckInterval: 10 * time.Minute, Callers: []caller{}, Audit: defaultAudit(), TCP: tcpConfig{TokensFile: defaultTokensFile, Hosts: []string{}},
	}
}

// loadConfig reads the file at path over the defaults; no path is no file. The
// profiles are checked too, so that every mistake of the operator is found
// before anything starts.
func loadConfig(path string) (config, error) {
	c := defaultConfig()
	if path == "" {
		return c, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	text, err := readAtMost(f, maxConfig)
	if err != nil {
		return c, err
	}
	if c, err = parseConfig(text); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// readAtMost reads a file, and refuses one that is longer.
func readAtMost(f *os.File, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than %d bytes", f.Name(), most)
	}
	return text, err
}

func parseConfig(text []byte) (config, error) {
	c := defaultConfig()
	lines, err := strictyaml.Unmarshal(text, &c)
	if err != nil {
		return c, err
	}
	all, err := c.profiles()
	if err != nil {
		return c, lines.Locate(err)
	}
	return c, lines.Locate(cmp.Or(c.check(), c.checkCallers(all), c.TCP.check()))
}

// keyError blames a key of the configuration, such as callers[2].rate.
func keyError(key, format string, args ...any) error {
	return strictyaml.Errorf(key, format, args...)
}

// maxSpares of one kind is more than processors can start in a second.
const maxSpares = 256

// maxSpareMB is more than any host has.
const maxSpareMB = 1 << 24

// maxCheckInterval bounds how long a layer that does not hold goes unnoticed.
const maxCheckInterval = 24 * time.Hour

// maxConfig bounds the operator's file, in bytes.
const maxConfig = 16 << 20

// maxSocketPath is what fits into a sockaddr_un, in bytes.
const maxSocketPath = 107

// maxQueue is far beyond what is served before whoever waits is refused.
const maxQueue = 1 << 16

// check refuses values that would be taken for something else further on: an
// empty path for the working directory, a zero for a default.
func (c config) check() error {
	switch {
	case c.Socket == "":
		return keyError("socket", "is empty")
	case len(c.Socket) > maxSocketPath:
		return keyError("socket", "is %d bytes long, the kernel takes %d", len(c.Socket), maxSocketPath)
	case c.StateDir == "":
		return keyError("state_dir", "is empty")
	case c.UIDs.First == 0:
		return keyError("uids.first", "is 0, which is root's")
	case c.UIDs.First+c.UIDs.Count < c.UIDs.First:
		return keyError("uids.count", "is %d, which leads beyond the highest uid from %d on", c.UIDs.Count, c.UIDs.First)
	case c.Runs < 1:
		return keyError("runs", "is %d, it must be at least 1", c.Runs)
	case c.CheckInterval < time.Second || c.CheckInterval > maxCheckInterval:
		return keyError("check_interval", "is %s, it must be between 1s and %s", c.CheckInterval, maxCheckInterval)
	case c.Queue < 1 || c.Queue > maxQueue:
		return keyError("queue", "is %d, it must be between 1 and %d", c.Queue, maxQueue)
	case c.Spares.Ceiling < 0 || c.Spares.Ceiling > maxSpares:
		return keyError("spares.ceiling", "is %d, it must be between 0 and %d", c.Spares.Ceiling, maxSpares)
	case c.Spares.Floor < 0 || c.Spares.Floor > c.Spares.Ceiling && c.Spares.Ceiling > 0: // a ceiling of 0 keeps none, whatever the floor
		return keyError("spares.floor", "is %d, it must be between 0 and spares.ceiling, which is %d", c.Spares.Floor, c.Spares.Ceiling)
	case c.Spares.Ceiling > 0 && (c.Spares.MemoryMB < 1 || c.Spares.MemoryMB > maxSpareMB):
		return keyError("spares.memory_mb", "is %d, it must be between 1 and %d", c.Spares.MemoryMB, maxSpareMB)
	}
	if err := cmp.Or(c.Audit.check(), c.Jobs.check()); err != nil {
		return err
	}
	// Each run has two uids, and a daemon one slot of the range, an eighth of which
	// is for jails that wait.
	most, jobs := int(c.UIDs.Count/lease.Slots/2)*7/8, c.Jobs.runs(c.Runs)
	switch {
	case jobs < 1:
		return keyError("jobs.runs", "is %d, it must be at least 1", jobs)
	case c.Jobs.Runs != nil && jobs >= most:
		return keyError("jobs.runs", "is %d, but uids.count %d gives a daemon uids for %d runs and jobs", jobs, c.UIDs.Count, most)
	case c.Runs > most-jobs:
		return keyError("runs", "is %d and jobs.runs %d, but uids.count %d gives a daemon uids for %d in all", c.Runs, jobs, c.UIDs.Count, most)
	}
	return nil
}

// profiles gives the built-in profiles with the operator's values over them.
func (c config) profiles() (map[string]policy.Profile, error) {
	all, err := profiles.Default()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Profiles)) {
		p, ok := all[name]
		if !ok {
			return nil, &strictyaml.Error{Key: "profiles." + name, Text: fmt.Sprintf("profiles: there is no profile %q", name)}
		}
		changed, err := profiles.Overlay(p, c.Profiles[name])
		if err != nil {
			return nil, err
		}
		if changed.Name != p.Name || changed.Language != p.Language {
			return nil, fmt.Errorf("profiles.%s: name and language cannot be changed", name)
		}
		all[name] = changed
	}
	if c.PythonFull {
		all = profiles.WithPythonFull(all)
	}
	return all, nil
}

// runner makes what runs programs.
func (c config) runner(ctx context.Context, all map[string]policy.Profile, keep spares, log *slog.Logger) (*nsjail.Runner, error) {
	r, err := wiring.Runner(ctx, wiring.Config{
		Profiles: all, StateDir: c.StateDir, UIDs: c.UIDs, EnableControllers: c.EnableControllers, Spares: nsjail.Spares(keep), Log: log,
	})
	if err != nil {
		return nil, &lackingError{err}
	}
	return r, nil
}

// lackingError is a failure that may well be the host's.
type lackingError struct{ error }

func (e *lackingError) Unwrap() error { return e.error }
