package benchmark

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// shell stands for an interpreter: it has the same kind of command line.
var shell = Language{Name: "python", Bare: []string{"/bin/sh", "-c"}}

func TestBareRuns(t *testing.T) {
	t.Setenv("SECRET", "inherited")
	for _, row := range []struct {
		name, code, want, wrong string
	}{
		{"what prints as it should is right", "echo hello", "hello\n", ""},
		{"what prints something else is wrong", "echo bye", "hello\n", `printed "bye\n", not "hello\n"`},
		{"what fails says why", "echo because >&2; exit 3", "hello\n", "exit status 3: because"},
		{"the first output is what the others must print", "echo any", "", ""},
		{"no output is wrong even then", "true", "", `printed ""`},
		{"the environment is empty", "echo $SECRET.", ".\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := &program{name: "p", language: shell, code: row.code, want: row.want}
			_, err := bare().run(t.Context(), p)
			if row.wrong == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, row.wrong)
			}
		})
	}
	assert.Equal(t, []string{"/bin/sh", "-c", "PROGRAM"}, bare().command(shell))
}

func TestLanesTakeTurns(t *testing.T) {
	var order []string
	noting := func(name string) way {
		return way{name: name, run: func(context.Context, *program) (*policy.Metrics, error) {
			order = append(order, name)
			return nil, nil
		}}
	}
	p := &program{}
	lanes := []*lane{{program: p, way: noting("a")}, {program: p, way: noting("b")}, {program: p, way: noting("c")}}
	require.NoError(t, interleave(t.Context(), lanes, 1, 3, func(string, ...any) {}))
	assert.Equal(t, []string{"a", "b", "c", "b", "c", "a", "c", "a", "b", "a", "b", "c"}, order)
	for _, l := range lanes {
		assert.Len(t, l.samples.took, 3, "the warm-up does not count")
	}
}

func TestThroughputCountsFailuresApart(t *testing.T) {
	var runs atomic.Int64
	var rates RunsRate
	enough := func() {}
	w := way{name: "w", run: func(context.Context, *program) (*policy.Metrics, error) {
		n := runs.Add(1)
		if n%10 == 0 {
			enough()
		}
		if n%2 == 0 {
			return nil, fmt.Errorf("failure %d", n)
		}
		return &policy.Metrics{StartMode: "fork"}, nil
	}}
	rate(t.Context(), w, &program{}, 3, 20*time.Millisecond, 2, &rates) // ends by itself
	ctx, stop := context.WithCancel(t.Context())
	enough = stop // and this one when there have been some, however long that takes
	rate(ctx, w, &program{}, 3, time.Hour, 2, &rates)
	assert.Equal(t, runs.Load(), rates.Failures+int64(rates.StartModes["fork"]))
	assert.Positive(t, rates.PerSecond)
	assert.Regexp(t, "^failure ", rates.FirstError)
}

func TestABurstCountsWhatWasAnswered(t *testing.T) {
	var runs atomic.Int64
	all := make(chan struct{})
	w := way{name: "w", run: func(context.Context, *program) (*policy.Metrics, error) {
		n := runs.Add(1)
		if n == burstRequests {
			close(all)
		}
		<-all // it comes to an end only if all are sent at once
		if n > 60 {
			return nil, errors.New("busy")
		}
		return &policy.Metrics{StartMode: "fork"}, nil
	}}
	result := BurstResult{Requests: burstRequests, Answered: burstRequests}
	oneBurst(t.Context(), w, &program{}, &result)
	assert.Equal(t, 60, result.Answered)
	assert.Equal(t, "busy", result.FirstError)
	assert.Equal(t, map[string]int{"fork": 60}, result.StartModes)
	assert.Positive(t, result.SlowestMS)
}

func TestPeersAreNamedWhateverBecomesOfThem(t *testing.T) {
	const runsIt = "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n"
	dir := t.TempDir()
	for name, script := range map[string]string{"bwrap": runsIt, "firejail": "#!/bin/sh\necho no user namespaces >&2\nexit 1\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	t.Setenv("PATH", dir)
	lang := shell
	lang.Bare = []string{"/bin/sh", "-c", "echo hello", "ignored:"}
	b := &bench{Options: Options{Languages: []Language{lang}, Peers: []string{"bwrap", "firejail", "nsjail"}}, report: &Report{}}
	require.NoError(t, b.findPeers(t.Context()))
	require.Len(t, b.report.Peers, 3)
	states := map[string]string{}
	for _, p := range b.report.Peers {
		states[p.Name] = p.State + " " + p.Detail
	}
	assert.Equal(t, "measured ", states["bwrap"])
	assert.Equal(t, "not installed ", states["nsjail"])
	assert.Contains(t, states["firejail"], "failed firejail, python hello: exit status 1: no user namespaces")
	require.Len(t, b.peers, 1)
	assert.Equal(t, filepath.Join(dir, "bwrap"), b.peers[0].command(lang)[0])
	assert.Contains(t, b.peers[0].command(lang), "--unshare-all")

	b.Peers = []string{"chroot"}
	assert.ErrorContains(t, b.findPeers(t.Context()), `there is no peer "chroot"; there are bwrap, nsjail`)
}
