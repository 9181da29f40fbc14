// Package battery puts the escape battery together: a Runner with every profile,
// a naive jail for the controls, and planted targets. The command and the VM's
// tests start from it.
package battery

import (
	"context"
	"fmt"
	"os"
	"time"

	"safe-exec/cgroup"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail"
	"safe-exec/nsjail/escape"
	"safe-exec/nsjail/image"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// Set is a battery ready to run.
type Set struct {
	*escape.Battery
	Probes []escape.Probe

	runner *nsjail.Runner
	config wiring.Config
	undo   []func()
}

// New makes a battery; c.Profiles are the ordinary ones.
func New(ctx context.Context, c wiring.Config, levels []string) (_ *Set, err error) {
	s := &Set{config: c}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	targets, err := escape.Plant()
	if err != nil {
		return nil, err
	}
	s.undo = append(s.undo, targets.Remove)
	// Before the runner: the spawner must not hand it on either.
	if err := os.Setenv(escape.EnvironCanary, targets.Canary); err != nil {
		return nil, err
	}
	s.undo = append(s.undo, func() { os.Unsetenv(escape.EnvironCanary) })
	s.config.Profiles = profiles.WithPythonFull(c.Profiles)
	if s.runner, err = wiring.Runner(ctx, s.config); err != nil {
		return nil, err
	}
	s.undo = append(s.undo, s.runner.Close)
	interpreters := make(map[policy.Language]string)
	for _, language := range policy.Languages() {
		path, _, err := image.Find(ctx, language, c.Profiles[string(language)].Interpreter)
		if err != nil {
			return nil, err
		}
		interpreters[language] = path
	}
	naive, err := escape.NewNaive(c.UIDs, cgroup.Options{EnableControllers: c.EnableControllers}, interpreters)
	if err != nil {
		return nil, err
	}
	s.undo = append(s.undo, func() { naive.Close() })
	if s.Probes, err = escape.Probes(); err != nil {
		return nil, err
	}
	uids, parent := s.runner.Owned()
	s.Battery = &escape.Battery{
		Executor: s.runner, Naive: naive, Targets: targets, Levels: levels,
		Watch: escape.Watch(uids, parent, os.Getpid()),
	}
	return s, nil
}

// Close ends everything that New made.
func (s *Set) Close() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
	s.undo = nil
}

// Run runs the probes, n at a time.
func (s *Set) Run(ctx context.Context, probes []escape.Probe, n int, version string) (*escape.Report, error) {
	report := &escape.Report{
		Time: time.Now(), Version: version, Kernel: s.runner.Kernel(), Cgroup: s.runner.CgroupVersion(), Layers: s.runner.Layers(),
	}
	for _, rt := range s.runner.Runtimes() {
		report.Filters = append(report.Filters, escape.Filter{
			Profile: rt.Profile.Name, Interpreter: rt.Version, Startup: rt.StartupFilter, Steady: rt.SteadyFilter,
		})
	}
	left, err := s.All(ctx, probes, n, func(rows []escape.Row) { report.Add(rows...) })
	if err != nil {
		return nil, err
	}
	report.Leave(left)
	report.Sort()
	return report, nil
}

// Ablate runs the probes without one layer at a time. faults is the init that
// can leave out steps; only a build with the tag safeexec_faults then lets such
// a jail run.
func (s *Set) Ablate(ctx context.Context, probes []escape.Probe, faults []byte) (*escape.Ablation, error) {
	return s.Battery.Ablate(ctx, probes, func(layer escape.Layer) (policy.Executor, func(), error) {
		c := s.config
		c.Program, c.Skip, c.Ablate, c.Unfiltered = faults, layer.Skip, true, layer.Unfiltered
		runner, err := wiring.Runner(ctx, c)
		if err != nil {
			return nil, nil, fmt.Errorf("a runner without it: %w", err)
		}
		return runner, runner.Close, nil
	})
}
