package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"

	"safe-exec/httpapi"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail"
	"safe-exec/policy"
)

// serve runs the daemon until SIGTERM or SIGINT, then lets running programs
// finish.
func serve(args []string, std stdio) int {
	fs := flag.NewFlagSet("serve", flag.ContinueOnError)
	fs.SetOutput(std.err)
	path := fs.String("config", "", "configuration file (YAML)")
	socket := fs.String("socket", "", "socket to listen on (default "+defaultSocket+")")
	stateDir := fs.String("state-dir", "", "directory for what may be kept between starts (default "+defaultStateDir+")")
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		return exitUsage
	}
	if fs.NArg() > 0 {
		std.complain(fmt.Errorf("serve takes no arguments, got %q", fs.Arg(0)))
		return exitUsage
	}
	conf, err := loadConfig(*path)
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	if *socket != "" {
		conf.Socket = *socket
	}
	if *stateDir != "" {
		conf.StateDir = *stateDir
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	log := slog.New(slog.NewJSONHandler(std.err, nil))
	if err := serveUntil(ctx, conf, log); err != nil {
		std.complain(err)
		fmt.Fprintln(std.err, "hint: safe-exec doctor says what this host lacks")
		return exitOurs
	}
	return exitOK
}

// errSpawnerDied ends the daemon: nothing can run any more, and whoever
// supervises it starts it again.
var errSpawnerDied = errors.New("the spawner process died")

func serveUntil(ctx context.Context, conf config, log *slog.Logger) error {
	unlock, err := lockSocket(conf.Socket)
	if err != nil {
		return err
	}
	defer unlock()
	all, err := conf.profiles()
	if err != nil {
		return err
	}
	runner, err := wiring.Runner(ctx, wiring.Config{
		Profiles: all, StateDir: conf.StateDir, UIDs: conf.UIDs,
		EnableControllers: conf.EnableControllers, Log: log,
	})
	if err != nil {
		return err
	}
	defer runner.Close()
	if err := runner.SelfTest(ctx); err != nil {
		return err
	}
	server, err := httpapi.New(httpapi.Config{
		Executor: runner, Describe: func() httpapi.Description { return describe(runner) }, Logger: log,
		Slots: conf.Runs, Waiting: conf.Queue, JobSlots: conf.Runs,
	})
	if err != nil {
		return err
	}
	listener, err := listen(conf)
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
	log.Info("serving", "socket", conf.Socket)
	notify(log, daemon.SdNotifyReady)
	err = server.Serve(ctx, listener)
	notify(log, daemon.SdNotifyStopping)
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

// lockSocket makes sure that one daemon at a time owns a socket path. The lock
// ends with the process, so a socket whose lock is free is stale.
func lockSocket(path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if err == unix.EWOULDBLOCK {
			return nil, fmt.Errorf("another daemon serves %s", path)
		}
		return nil, err
	}
	return func() { f.Close() }, nil
}

// listen replaces a stale socket, and nothing but a socket.
//
// Preconditions: the caller holds the path's lock.
func listen(conf config) (net.Listener, error) {
	if info, err := os.Lstat(conf.Socket); err == nil {
		if info.Mode().Type() != os.ModeSocket {
			return nil, fmt.Errorf("%s exists and is not a socket", conf.Socket)
		}
		if err := os.Remove(conf.Socket); err != nil {
			return nil, err
		}
	}
	// Made with no permission for others from the first moment on.
	old := unix.Umask(0o117)
	l, err := net.Listen("unix", conf.Socket)
	unix.Umask(old)
	if err != nil {
		return nil, err
	}
	if gid, ok := groupID(conf.Group); ok {
		if err := os.Chown(conf.Socket, 0, gid); err != nil {
			l.Close()
			return nil, err
		}
	}
	return l, nil
}

// groupID finds the group whose members may run programs; where it does not
// exist, only root may.
func groupID(name string) (int, bool) {
	g, err := user.LookupGroup(name)
	if err != nil {
		return 0, false
	}
	gid, err := strconv.Atoi(g.Gid)
	return gid, err == nil
}

// describe turns what the runner knows into what the API tells.
func describe(r *nsjail.Runner) httpapi.Description {
	d := httpapi.Description{Version: version, Posture: httpapi.Posture{Kernel: r.Kernel(), Cgroup: r.CgroupVersion(), Layers: r.Layers()}}
	for _, rt := range r.Runtimes() {
		entry := httpapi.Runtime{
			Profile: rt.Profile.Name, Language: rt.Profile.Language, Aliases: policy.Aliases(rt.Profile.Language),
			Version: rt.Version, Ready: true, Limits: rt.Profile.Requestable, Fixed: rt.Profile.Fixed, Policy: rt.Profile.Level,
		}
		for _, name := range rt.Profile.LevelNames() {
			entry.Policies = append(entry.Policies, name)
			d.Policies = append(d.Policies, httpapi.Level{
				Profile: rt.Profile.Name, Language: rt.Profile.Language, Name: name,
				Default: name == rt.Profile.Level, Level: rt.Profile.Levels[name],
			})
		}
		d.Runtimes = append(d.Runtimes, entry)
	}
	return d
}
