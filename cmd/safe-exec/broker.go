package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strconv"

	"safe-exec/httpapi"
	"safe-exec/internal/broker"
	"safe-exec/internal/link"
	"safe-exec/policy"
)

// brokerName is the command that serve starts the other process by.
const brokerName = "broker"

// brokerSettings is what the broker needs of the configuration. It reads no file.
type brokerSettings struct {
	Runs, Queue int
	Callers     []caller
}

func (c config) brokerSettings() brokerSettings {
	return brokerSettings{Runs: c.Runs, Queue: c.Queue, Callers: c.Callers}
}

// brokerMain is the process that talks to callers. It is given its directory and
// the number of its listeners, and everything else over the link.
func brokerMain(args []string, std stdio) int {
	if len(args) != 2 {
		std.complain(fmt.Errorf("%s is for safe-exec serve to start", brokerName))
		return exitUsage
	}
	listeners, err := strconv.Atoi(args[1])
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	j, err := broker.Join(args[0], listeners)
	if err == nil {
		err = serveCallers(j, slog.New(slog.NewJSONHandler(std.err, nil)).With("process", brokerName))
	}
	if err != nil {
		std.complain(err)
		return exitOurs
	}
	return exitOK
}

// serveCallers answers until the executor wants it to end, and not a moment longer
// than there is one.
func serveCallers(j *broker.Joined, log *slog.Logger) error {
	var settings brokerSettings
	if err := json.Unmarshal(j.Config, &settings); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	go func() {
		err := j.Client.Run()
		log.Error("the executor is gone", "error", err)
		os.Exit(exitOurs)
	}()
	server, err := httpapi.New(settings.apiConfig(j.Client, log))
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
		return err
	}
	return server.Serve(ctx, j.Listeners[0])
}

// apiConfig is what the API is made of.
func (s brokerSettings) apiConfig(c *link.Client, log *slog.Logger) httpapi.Config {
	describe := func() (d httpapi.Description) {
		if err := c.Describe(context.Background(), &d); err != nil {
			log.Error("the executor does not describe itself", "error", err)
		}
		return d
	}
	conf := config{Callers: s.Callers}
	return httpapi.Config{
		Executor: c, Checker: c, Check: func(req policy.Request) error { return c.Resolve(context.Background(), req) },
		Ceiling:  func(p httpapi.Peer) string { return conf.ceiling(p.UID, p.GID) },
		Describe: describe, Metrics: metrics(describe), Logger: log,
		Slots: s.Runs, Waiting: s.Queue, JobSlots: s.Runs,
	}
}
