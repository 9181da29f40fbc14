package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"safe-exec/internal/battery"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail/escape"
	"safe-exec/policy"
)

type escapeFlags struct {
	*flags
	socket, config, html, only, levels, severities, mode string
	asJSON                                               bool
	parallel                                             int
	// instead of the battery is what only a build made for tests has.
	instead func(context.Context, config, *regexp.Regexp, stdio) (held bool, err error)
}

func newEscapeFlags() *escapeFlags {
	f := &escapeFlags{flags: newFlags("escape", "",
		"exit status: 0 everything that was asked held and every control of it won, 1 not so, 2 usage, 125 safe-exec failed")}
	f.BoolVar(&f.asJSON, "json", false, "print the report as JSON")
	f.StringVar(&f.html, "html", "", "also write the report as one HTML page to this `FILE`")
	f.StringVar(&f.only, "probe", "", "only probes whose name, as the report prints it, matches this regular `EXPRESSION`, such as ^c4_")
	f.StringVar(&f.severities, "severity", "C,H,M,L", "only probes of these `SEVERITIES`, and the innocents")
	f.StringVar(&f.levels, "policy", "strict,standard,relaxed", "import `POLICIES` to run under")
	f.StringVar(&f.mode, "start-mode", policy.StartCold, "how jails are made, `M`: cold, warm or fork")
	f.IntVar(&f.parallel, "parallel", 1, "run `N` probes at once")
	f.StringVar(&f.socket, "socket", "", "attack the daemon at this `PATH` (default: jails of this process)")
	f.StringVar(&f.config, "config", "", "configuration `FILE`")
	addAblate(f)
	return f
}

// escapeBattery tries to get out of jails, of this process or of a live daemon.
func escapeBattery(args []string, std stdio) int {
	f := newEscapeFlags()
	if status, done := f.parse(args, 0, std); done {
		return status
	}
	conf, only, err := f.check()
	if err != nil {
		std.complain(fmt.Errorf("escape: %w", err))
		return exitUsage
	}
	if os.Geteuid() != 0 {
		std.complain(errors.New("escape needs root: it watches the host, and its controls run in jails of their own"))
		return exitOurs
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	held, err := f.run(ctx, conf, only, std)
	if ctx.Err() != nil {
		err = errors.New("escape: stopped by a signal")
	}
	switch {
	case err != nil:
		return explain(std, err)
	case !held:
		return exitFailed
	}
	return exitOK
}

func (f *escapeFlags) check() (conf config, only *regexp.Regexp, err error) {
	if f.parallel < 1 {
		return conf, nil, errors.New("--parallel must be at least 1")
	}
	for _, s := range strings.Split(f.severities, ",") {
		if !slices.Contains([]string{"C", "H", "M", "L"}, s) {
			return conf, nil, fmt.Errorf("--severity: %q is none of C, H, M, L", s)
		}
	}
	if !slices.Contains([]string{policy.StartCold, policy.StartWarm, policy.StartFork}, f.mode) {
		return conf, nil, fmt.Errorf("--start-mode: %q is none of cold, warm, fork", f.mode)
	}
	if only, err = regexp.Compile(f.only); err != nil {
		return conf, nil, fmt.Errorf("--probe: %w", err)
	}
	conf, err = loadConfig(f.config)
	return conf, only, err
}

// run says whether everything held, after it has written the report.
func (f *escapeFlags) run(ctx context.Context, conf config, only *regexp.Regexp, std stdio) (held bool, err error) {
	if f.instead != nil {
		return f.instead(ctx, conf, only, std)
	}
	report, err := f.battery(ctx, conf, only, std)
	if err != nil {
		return false, err
	}
	if os.Getenv(insideEnv) == "" { // else the process that started this one says it
		for _, why := range report.Unasked() {
			std.complain(errors.New(why))
		}
	}
	return report.Held, f.write(report, std.out)
}

// written is a report for each of its readers.
type written interface {
	Text(io.Writer) error
	JSON(io.Writer) error
	HTML(io.Writer) error
}

func (f *escapeFlags) write(report written, out io.Writer) error {
	if f.html != "" {
		//nolint:forbidigo // the user names the file, and may name a link such as /dev/stdout
		file, err := os.Create(f.html)
		if err != nil {
			return err
		}
		if err := errors.Join(report.HTML(file), file.Close()); err != nil {
			return err
		}
	}
	if f.asJSON {
		return report.JSON(out)
	}
	return report.Text(out)
}

// battery runs the probes where the flags say, and reports.
func (f *escapeFlags) battery(ctx context.Context, conf config, only *regexp.Regexp, std stdio) (*escape.Report, error) {
	if f.socket != "" {
		peer, apart, err := f.daemon(ctx)
		if err != nil {
			return nil, err
		}
		if len(apart) > 0 {
			return f.inside(ctx, peer, apart, std)
		}
	}
	set, err := f.set(ctx, conf, std.err)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	set.StartMode = f.mode
	probes, err := f.choose(set.Probes, only)
	if err != nil {
		return nil, err
	}
	return set.Run(ctx, probes, f.parallel)
}

// set makes the battery.
func (f *escapeFlags) set(ctx context.Context, conf config, log io.Writer) (*battery.Set, error) {
	all, err := conf.profiles()
	if err != nil {
		return nil, err
	}
	c := wiring.Config{
		Profiles: all, StateDir: conf.StateDir, UIDs: conf.UIDs, EnableControllers: conf.EnableControllers,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelError})),
	}
	levels := strings.Split(f.levels, ",")
	if f.socket != "" {
		return battery.Live(ctx, f.socket, c, levels)
	}
	for _, level := range levels { // a daemon may have others
		if _, ok := all[string(policy.Python)].Levels[level]; !ok {
			return nil, &usageError{fmt.Errorf("escape: --policy: there is no policy %q", level)}
		}
	}
	return battery.New(ctx, c, levels, version)
}

// choose leaves the probes that the flags name.
func (f *escapeFlags) choose(all []escape.Probe, only *regexp.Regexp) ([]escape.Probe, error) {
	severities := strings.Split(f.severities, ",")
	probes := slices.DeleteFunc(slices.Clone(all), func(p escape.Probe) bool {
		return !only.MatchString(p.Name) || !p.Innocent && !slices.Contains(severities, p.Severity)
	})
	if len(probes) == 0 {
		return nil, &usageError{fmt.Errorf("escape: no probe of severity %s has a name that matches %q; names are those in the report, such as %s", f.severities, f.only, all[0].Name)}
	}
	return probes, nil
}
