// Package benchmark compares runs through the daemon with the bare interpreter.
// Every figure is a ratio to bare measured in the same minutes, because a
// shared machine's milliseconds mean little. The bare process has an empty
// environment, its output goes through a pipe, and its time is from fork to
// reaped.
package benchmark

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"safe-exec/policy"
)

// Case is one program, run both ways.
type Case struct {
	Name    string
	Bare    []string // argv
	Request policy.Request
	Want    string // stdout
}

// Options say how much to measure.
type Options struct {
	Cases     []Case
	Rounds    int           // of each case for the latencies
	Slice     time.Duration // of throughput
	Slices    int           // per case and number of clients
	DaemonPid int
}

// Clients are the numbers of concurrent clients that throughput is measured at.
var Clients = []int{1, 2, 4, 8}

// Latency is a distribution in milliseconds.
type Latency struct{ P50, P95, P99 float64 }

// Throughput is runs per second at one number of clients.
type Throughput struct {
	Clients    int
	Bare, Jail float64
	Failures   int64
}

// Figures are what one case gave.
type Figures struct {
	Case       string
	Bare, Jail Latency
	StartMS    float64 // median of the daemon's own start_time_ms
	TotalMS    float64 // median of total_time_ms: the rest is HTTP and the client
	Throughput []Throughput
}

// Report is the whole answer.
type Report struct {
	Figures      []Figures
	DaemonRSSMB  float64 // VmRSS after the runs
	SpawnerRSSMB float64
}

// Run measures every case; a wrong output is an error.
func Run(ctx context.Context, o Options, executor policy.Executor) (*Report, error) {
	report := &Report{}
	for _, c := range o.Cases {
		f, err := latencies(ctx, c, o.Rounds, executor)
		if err != nil {
			return nil, err
		}
		for _, clients := range Clients {
			t := Throughput{Clients: clients}
			for range o.Slices { // in turn, so that drift hits both alike
				t.Bare += perSecond(clients, o.Slice, &t.Failures, func() error { return c.bare() }) / float64(o.Slices)
				t.Jail += perSecond(clients, o.Slice, &t.Failures, func() error { _, err := c.jailed(ctx, executor); return err }) / float64(o.Slices)
			}
			if o.Slices > 0 {
				f.Throughput = append(f.Throughput, t)
			}
		}
		report.Figures = append(report.Figures, f)
	}
	report.DaemonRSSMB = rss(o.DaemonPid)
	report.SpawnerRSSMB = rss(firstChild(o.DaemonPid))
	return report, nil
}

func latencies(ctx context.Context, c Case, rounds int, executor policy.Executor) (Figures, error) {
	var bare, jail, start, total []float64
	const warmup = 3
	for i := range rounds + warmup {
		begin := time.Now()
		if err := c.bare(); err != nil {
			return Figures{}, err
		}
		middle := time.Now()
		result, err := c.jailed(ctx, executor)
		if err != nil {
			return Figures{}, err
		}
		end := time.Now()
		if i < warmup {
			continue
		}
		bare = append(bare, policy.Millis(middle.Sub(begin)))
		jail = append(jail, policy.Millis(end.Sub(middle)))
		start = append(start, result.Metrics.StartTimeMS)
		total = append(total, result.Metrics.TotalTimeMS)
	}
	return Figures{
		Case: c.Name, Bare: distribution(bare), Jail: distribution(jail),
		StartMS: distribution(start).P50, TotalMS: distribution(total).P50,
	}, nil
}

func (c Case) bare() error {
	cmd := exec.Command(c.Bare[0], c.Bare[1:]...)
	cmd.Env = []string{}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("bare %s: %w", c.Name, err)
	}
	if out.String() != c.Want {
		return fmt.Errorf("bare %s printed %q", c.Name, out.String())
	}
	return nil
}

func (c Case) jailed(ctx context.Context, executor policy.Executor) (*policy.Result, error) {
	result, err := executor.Execute(ctx, c.Request)
	if err != nil {
		return nil, err
	}
	if result.Stdout != c.Want {
		return nil, fmt.Errorf("%s through the daemon: %s: %s; stdout %q, stderr %q",
			c.Name, result.Status, result.Termination.Reason, result.Stdout, result.Stderr)
	}
	return result, nil
}

// perSecond runs do from several clients for one slice.
func perSecond(clients int, slice time.Duration, failures *int64, do func() error) float64 {
	var done atomic.Int64
	var wg sync.WaitGroup
	begin := time.Now()
	for range clients {
		wg.Go(func() {
			for time.Since(begin) < slice {
				if do() != nil {
					atomic.AddInt64(failures, 1)
					continue
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(done.Load()) / time.Since(begin).Seconds()
}

func distribution(v []float64) Latency {
	slices.Sort(v)
	at := func(q float64) float64 { return v[min(int(q*float64(len(v))), len(v)-1)] }
	return Latency{at(0.50), at(0.95), at(0.99)}
}

// rss is a process's resident memory in MiB, 0 if it is gone.
func rss(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kb / 1024
		}
	}
	return 0
}

func firstChild(pid int) int {
	lists, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range lists {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		if fields := strings.Fields(string(b)); len(fields) > 0 {
			child, _ := strconv.Atoi(fields[0])
			return child
		}
	}
	return 0
}
