package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/coreos/go-systemd/v22/daemon"

	"safe-exec/internal/broker"
	"safe-exec/nsjail/escape"
	"safe-exec/nsjail/lease"
)

// executorGC lets the executor's heap, some megabytes live, grow to five times that
// before it is collected: at the default a collection comes every dozen runs.
const executorGC = 400

// serve runs the daemon until SIGTERM or SIGINT, then lets running programs
// finish. A second signal ends it at once, and what runs with it.
func serve(args []string, std stdio) int {
	debug.SetGCPercent(executorGC)
	fs := newFlags("serve", "", "SIGTERM and SIGINT let running programs finish; a second one ends the daemon at once.\n"+
		"exit status: 0 stopped by a signal, 2 the command line or the configuration is wrong, or what it names,\n"+
		"125 the host lacks something, or what the daemon needs is in use or failed: start it again")
	load := whatToServe(fs)
	if status, done := fs.parse(args, 0, std); done {
		return status
	}
	conf, err := load()
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	context.AfterFunc(ctx, stop)
	pipe := newLogPipe(std.err)
	defer pipe.flush()
	std.err = pipe
	log := slog.New(slog.NewJSONHandler(std.err, nil))
	if err := serveUntil(ctx, conf, log); err != nil {
		if errors.Is(err, errNotServing) {
			log.Info("stopped before it served", "cause", context.Cause(ctx))
			return exitOK
		}
		std.complain(err)
		var lacking *lackingError
		switch {
		case errors.As(err, new(*selfTestError)):
			std.hint(selfTestRemedy + "; safe-exec doctor runs the same test")
		case errors.As(err, new(*notHeldError)):
			std.hint("safe-exec escape says of every technique what holds it here")
		case errors.As(err, &lacking):
			std.hint("safe-exec doctor says what this host lacks")
		}
		var mistake *mistakeError
		if errors.As(err, &mistake) {
			return exitUsage
		}
		return exitOurs
	}
	return exitOK
}

// errSpawnerDied ends the daemon: nothing can run any more, and whoever
// supervises it starts it again.
var errSpawnerDied = errors.New("the spawner process died")

// notHeldError is what the short form of the escape battery found, or why it could
// not be asked.
type notHeldError struct{ detail string }

func (e *notHeldError) Error() string { return "jails are not shown to hold on this host: " + e.detail }

// errNotServing means that the signal came while the daemon was starting.
var errNotServing = errors.New("stopped while starting")

func serveUntil(ctx context.Context, conf config, log *slog.Logger) error {
	if os.Geteuid() != 0 {
		return &lackingError{errors.New("serve needs root: it sets up namespaces for other uids")}
	}
	if err := firstMistake(conf.looks()); err != nil {
		return err
	}
	unlock, err := lockSocket(conf.Socket)
	if err != nil {
		return err
	}
	defer unlock()
	state, err := conf.claim()
	if err != nil {
		return err
	}
	defer state.Close()
	if err := lease.SweepScratch(doctorPlace, doctorPrefix); err != nil {
		log.Warn("what a doctor that was killed has left could not be removed", "error", err)
	}
	all, err := conf.profiles()
	if err != nil {
		return err
	}
	tcp, err := conf.TCP.open(conf.Callers)
	if err != nil {
		return err
	}
	defer tcp.close()
	if err := broker.Protect(); err != nil { // before anything is started, which inherits it
		log.Warn("the daemon is protected no better than others when memory runs out: set OOMScoreAdjust=-500", "error", err)
	}
	runner, err := conf.runner(ctx, all, conf.Spares, log)
	if err != nil && ctx.Err() != nil {
		return errNotServing
	} else if err != nil {
		return err
	}
	defer runner.Close()
	if err := selfTest(ctx, runner); ctx.Err() != nil {
		return errNotServing
	} else if err != nil {
		return err
	}
	guard, err := escape.NewGuard(escape.GuardConfig{Executor: runner, Level: "relaxed", Dir: escape.DefaultDir, Interval: conf.CheckInterval})
	if err != nil {
		return err
	}
	if s := guard.Check(ctx); ctx.Err() != nil {
		return errNotServing
	} else if !s.Held {
		return &notHeldError{s.Detail}
	}
	listener, err := conf.listen(log)
	if err != nil {
		return err
	}
	defer listener.Close()
	supervisor, err := conf.supervisor(state.Dir, listener, tcp, runner, guard, log)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-runner.Done():
			cancel(errSpawnerDied)
		case <-ctx.Done():
		}
	}()
	go guard.Watch(ctx, func(s escape.Status) {
		switch {
		case !s.Held:
			log.Error("the sandbox does not hold: nothing runs", "detail", s.Detail)
		case s.Unasked != "":
			log.Warn("the sandbox could not be checked: the last answer stands for some intervals", "of", s.Time, "error", s.Unasked)
		}
	})
	told := make(chan struct{})
	unneeded := context.AfterFunc(ctx, func() {
		defer close(told)
		log.Info("stopping: running programs may finish", "cause", context.Cause(ctx))
		notify(log, daemon.SdNotifyStopping)
	})
	err = supervisor.Run(ctx, func() {
		log.Info("serving", slices.Concat([]any{"socket", conf.Socket}, tcp.attrs(), []any{"version", version})...)
		notify(log, daemon.SdNotifyReady)
	})
	if !unneeded() { // else it ended by itself, and there is nothing to stop
		<-told
	}
	if cause := context.Cause(ctx); errors.Is(cause, errSpawnerDied) {
		err = errors.Join(err, cause)
	}
	return err
}

func notify(log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("sd_notify", "error", err)
	}
}
