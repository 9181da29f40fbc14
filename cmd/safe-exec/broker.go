package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"safe-exec/httpapi"
	"safe-exec/httpapi/jobs/sqlite"
	"safe-exec/httpapi/ledger"
	"safe-exec/httpapi/observe"
	"safe-exec/httpapi/observe/metrics"
	"safe-exec/internal/broker"
	"safe-exec/internal/link"
	"safe-exec/policy"
)

// brokerName is the command that serve starts the other process by.
const brokerName = httpapi.BrokerProcess

// brokerMemory is what the broker's heap keeps below while that can be done: the
// collector works harder near it, and what a burst of large replies left goes back
// to the host. It is no bound; what callers can make it hold is bounded where it is
// held.
const brokerMemory = 512 << 20

// brokerProcessors is on how many the broker runs Go code at once. It carries what
// others work on; each processor more is one more thread to wake for every message.
func brokerProcessors() int { return max(1, runtime.NumCPU()/4) }

// brokerSettings is what the broker needs of the configuration. It reads no file
// of the operator's.
type brokerSettings struct {
	Runs, Queue int
	Callers     []caller
	Others      grant
	Tokens      httpapi.Tokens // their hashes
	Hosts       []string
	CertPEM     []byte
	KeyPEM      []byte
	Audit       auditConfig
	Jobs        jobsConfig
}

// brokerMain is the process that talks to callers. It is given its directory and
// the number of its listeners, and everything else over the link.
func brokerMain(args []string, std stdio) int {
	if len(args) != 2 {
		std.complain(fmt.Errorf("%s is for safe-exec serve to start", brokerName))
		return exitUsage
	}
	debug.SetMemoryLimit(brokerMemory)
	runtime.GOMAXPROCS(brokerProcessors())
	listeners, err := strconv.Atoi(args[1])
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	pipe := newLogPipe(std.err)
	defer pipe.flush()
	std.err = pipe
	j, err := broker.Join(args[0], listeners)
	if err == nil {
		log := slog.New(slog.NewJSONHandler(std.err, nil)).With("process", brokerName)
		go func() {
			err := j.Client.Run()
			log.Error("the executor is gone", "error", err)
			pipe.flush()
			os.Exit(exitOurs)
		}()
		err = serveCallers(j, log)
	}
	if err != nil {
		std.complain(err)
		var broken *ledger.Broken
		if errors.As(err, &broken) {
			std.hint("safe-exec audit verify reads the whole ledger; move it away to begin another")
		}
		return exitOurs
	}
	return exitOK
}

// serveCallers answers until the executor wants it to end, or its store breaks.
func serveCallers(j *broker.Joined, log *slog.Logger) error {
	var settings brokerSettings
	if err := json.Unmarshal(j.Config, &settings); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	s, err := settings.server(j.Client, j.Dir, log)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-j.Client.Draining()
		cancel()
	}()
	if err := j.Client.Ready(); err != nil {
		return errors.Join(err, s.end())
	}
	return s.serve(func() error { return s.Serve(ctx, j.Listeners...) }, log)
}

// brokerServer is what answers callers, and what is under it.
type brokerServer struct {
	*httpapi.Server
	end    func() error // closes what the server leaves open
	broken <-chan error // the store of jobs
}

// errStoreBroke ends the broker, and its supervisor starts another, which takes up
// the jobs.
var errStoreBroke = errors.New("the store of jobs broke")

// serve calls Serve and end, unless the store breaks before: then it closes nothing
// and waits for nobody, since what a kill leaves is what the next broker can take up,
// while this one could neither take jobs nor keep the verdicts of those that run.
func (s *brokerServer) serve(serve func() error, log *slog.Logger) error {
	served := make(chan error, 1)
	go func() { served <- serve() }()
	select {
	case err := <-served:
		return errors.Join(err, s.end())
	case err := <-s.broken:
		log.Error("the store of jobs broke", "error", err)
		return errStoreBroke
	}
}

// server puts together what answers callers: the link's end, told to the ledger and
// the metrics, metered for each caller, behind jobs and HTTP.
func (s brokerSettings) server(c *link.Client, dir string, log *slog.Logger) (made *brokerServer, err error) {
	describe := func() (d httpapi.Description, err error) {
		ctx, cancel := context.WithTimeout(context.Background(), describeLimit)
		defer cancel()
		err = c.Describe(ctx, &d)
		return d, err
	}
	now, err := describe()
	if err != nil {
		return nil, err
	}
	secured, err := (&tcpEndpoint{CertPEM: s.CertPEM, KeyPEM: s.KeyPEM}).tls()
	if err != nil {
		return nil, err
	}
	var closers []func() error
	closeAll := func() (err error) {
		for _, one := range slices.Backward(closers) {
			err = errors.Join(err, one())
		}
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeAll())
		}
	}()
	// Before the first record: a store of another version ends the start.
	if err := sqlite.Look(dir); err != nil {
		return nil, err
	}
	trail, err := s.Audit.open(filepath.Join(dir, auditName), now.Posture.Kernel, log)
	if err != nil {
		return nil, err
	}
	if trail != nil {
		closers = append(closers, trail.Close)
	}
	line, queue := new(observe.Line), new(jobQueue)
	recording := s.Audit.ready(trail)
	ready := &readiness{ended: c.Done(), describe: describe, recording: recording}
	ready.holding = lately(time.Second, ready.held)
	counted := newMetrics(metrics.Config{
		Sync: line.Queue, Jobs: queue.depth,
		Ready: ready.check, Store: ready.storing,
	}, describe, trail)
	told := tell(counted, trail)
	observed := observe.Executor{Next: c, Checker: c, Tell: told, Origin: httpapi.OriginOf, Digests: digests(now.Runtimes)}
	accounts := httpapi.NewAccounts()
	store, kept, err := s.openJobs(dir, accounts.Metered(httpapi.Logged(observed, log)), told, ready.mayRun, log)
	if err != nil {
		return nil, err
	}
	closers = append(closers, kept.Close)
	queue.store, ready.store = store, store
	operator := config{Callers: s.Callers, Others: s.Others}
	server, err := httpapi.New(httpapi.Config{
		Executor: observed, Checker: observed, Resolve: c.Resolve, Ready: ready.check,
		Check:   func(policy.Request) error { return recording() }, // a run is refused by its begin; a job is not accepted either
		Callers: operator.allowance, Accounts: accounts, Tokens: s.Tokens, Hosts: s.Hosts, TLS: secured,
		Describe: func() httpapi.Description {
			d, err := describe()
			if err != nil {
				log.Error("the executor does not describe itself", "error", err)
			}
			return d
		},
		Metrics: counted, Observe: counted, Line: line, Logger: log,
		Slots: s.Runs, Waiting: s.Queue, Jobs: store, JobSlots: s.Jobs.runs(s.Runs), JobsQueued: s.Jobs.Queued,
	})
	return &brokerServer{server, closeAll, kept.Broken()}, err
}

// describeLimit is how long the executor may take to describe itself, which takes it
// no work: after that whoever asked is told that it does not answer.
const describeLimit = 5 * time.Second

// tell gives whoever hears of runs: the ledger first, whose line must be there before
// anyone is told.
func tell(counted observe.Observer, l *ledger.Ledger) observe.Observer {
	if l == nil {
		return counted
	}
	return observe.All(l, counted)
}
