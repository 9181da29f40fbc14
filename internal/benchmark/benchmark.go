// Package benchmark compares runs through the daemon with the bare interpreter,
// and with other sandboxes where they are installed. Every figure is a ratio to
// bare measured in the same minutes, because a shared machine's milliseconds
// mean little. The bare process has an empty environment, its output goes
// through a pipe, and its time is from fork to reaped.
package benchmark

import (
	"context"
	"fmt"
	"slices"
	"time"

	"safe-exec/policy"
)

// Names of figures, in the order in which they are measured.
const (
	Hello      = "hello"
	Imports    = "imports"
	Cold       = "cold"
	Throughput = "throughput"
	Burst      = "burst"
	CPU        = "cpu"
	Memory     = "memory"
	Flood      = "flood"
	Sleep      = "sleep"
	Soak       = "soak"
)

// Figures lists what can be measured.
func Figures() []string {
	return []string{Hello, Imports, Cold, Throughput, Burst, CPU, Memory, Flood, Sleep, Soak}
}

// Options say what to measure, and how long.
type Options struct {
	Languages []Language
	Only      []string // names of figures; soak is measured if Soak is above 0
	Peers     []string // names out of Peers
	Rounds    int      // of each program for the latencies; programs of two seconds get a twentieth
	Slice     time.Duration
	Slices    int // of throughput, for each language, number of clients and way
	Soak      int // runs in a row for each language
	Sleepers  int // programs that sleep at once, at most MaxSleepers
	Version   string
	// Start starts a daemon with this configuration (YAML, empty for the
	// defaults) which nobody else uses.
	Start func(ctx context.Context, config string) (*Daemon, error)
	// Say takes one line on what is being done.
	Say func(format string, args ...any)
}

// Language is an interpreter and how it is given a program.
type Language struct {
	Name    string
	Version string
	Bare    []string // command line that lacks the program's text
	Imports []string // modules of the standard level; none where they cost no start
}

// Daemon is one that the benchmark has to itself.
type Daemon struct {
	Executor      policy.Executor
	Pid           int
	FirstUID      uint32 // of the UIDs host uids that its jails have
	UIDs          uint32
	CgroupParent  string // name of the cgroup below which its leaves are
	CgroupVersion string
	// Submit hands a program over as a job, which needs no connection while it
	// runs.
	Submit func(ctx context.Context, req policy.Request) error
	// Other is the same daemon for another caller.
	Other policy.Executor
	Stop  func() // ends it, and what runs in it, and waits until it has ended
}

// bench is one measurement under way.
type bench struct {
	Options
	daemon *Daemon
	peers  []way
	report *Report
}

// Run measures. A figure that fails is in the report's Unmeasured and does not
// keep the others from being measured; an error means that there is no report.
func Run(ctx context.Context, o Options) (*Report, error) {
	machine := describeMachine()
	daemon, err := o.Start(ctx, "")
	if err != nil {
		return nil, err
	}
	defer daemon.Stop()
	machine.Cgroup = daemon.CgroupVersion
	b := &bench{Options: o, daemon: daemon, report: &Report{SchemaVersion: SchemaVersion, Version: o.Version}}
	if err := b.findPeers(ctx); err != nil {
		return nil, err
	}
	begin := time.Now()
	for _, step := range []struct {
		figures []string
		measure func(context.Context) error
	}{
		{[]string{Hello, Imports, Cold}, b.hello},
		{[]string{Throughput}, b.throughput},
		{[]string{Burst}, b.burst},
		{[]string{CPU}, b.cpu},
		{[]string{Memory}, b.memory},
		{[]string{Soak}, b.soak},
		{[]string{Flood}, b.flood},
		{[]string{Sleep}, b.sleep}, // last: it fills the machine
	} {
		figures := slices.DeleteFunc(step.figures, func(f string) bool { return !b.wants(f) })
		if len(figures) == 0 {
			continue
		}
		if err := step.measure(ctx); err != nil {
			for _, f := range figures {
				b.report.Unmeasured = append(b.report.Unmeasured, Unmeasured{f, err.Error()})
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	machine.Seconds = time.Since(begin).Seconds()
	machine.LoadAtEnd = loadAverage()
	b.report.Machine = machine
	spawner, broker := parts(daemon.Pid)
	b.report.DaemonRSSMB = residentMB(daemon.Pid) + residentMB(broker)
	b.report.SpawnerRSSMB = residentMB(spawner)
	return b.report, nil
}

func (b *bench) wants(figure string) bool {
	if figure == Soak && b.Soak == 0 {
		return false
	}
	return len(b.Only) == 0 || slices.Contains(b.Only, figure)
}

// CheckNames refuses a name that nothing has.
func CheckNames(kind string, names, known []string) error {
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("there is no %s %q; there are %s", kind, name, list(known))
		}
	}
	return nil
}
