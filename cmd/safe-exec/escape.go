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
)

type escapeFlags struct {
	*flags
	config, html, only, levels, severities string
	asJSON                                 bool
	parallel                               int
}

// escapeBattery runs the battery in this process; exit status 0 only if
// everything held and every control won.
func escapeBattery(args []string, std stdio) int {
	f := &escapeFlags{flags: newFlags("escape", "",
		"exit status: 0 everything held and every control won, 1 not so, 2 usage, 125 safe-exec failed")}
	f.BoolVar(&f.asJSON, "json", false, "print the report as JSON")
	f.StringVar(&f.html, "html", "", "also write the report as one HTML page to this `FILE`")
	f.StringVar(&f.only, "probe", "", "only probes whose name matches this regular `EXPRESSION`")
	f.StringVar(&f.severities, "severity", "C,H,M,L", "only probes of these `SEVERITIES`, and the innocents")
	f.StringVar(&f.levels, "policy", "strict,relaxed", "import `POLICIES` to run under")
	f.IntVar(&f.parallel, "parallel", 1, "run so many probes `N` at once")
	f.StringVar(&f.config, "config", "", "configuration `FILE`")
	if status, done := f.parse(args, 0, std); done {
		return status
	}
	if f.parallel < 1 {
		std.complain(errors.New("--parallel must be at least 1"))
		return exitUsage
	}
	only, err := regexp.Compile(f.only)
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	conf, err := loadConfig(f.config)
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := f.battery(ctx, conf, only, std.err)
	if err != nil {
		std.complain(err)
		return exitOurs
	}
	if err := f.write(report, std.out); err != nil {
		std.complain(err)
		return exitOurs
	}
	if !report.Held {
		return exitFailed
	}
	return exitOK
}

func (f *escapeFlags) write(report *escape.Report, out io.Writer) error {
	if f.html != "" {
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

func (f *escapeFlags) battery(ctx context.Context, conf config, only *regexp.Regexp, log io.Writer) (*escape.Report, error) {
	all, err := conf.profiles()
	if err != nil {
		return nil, err
	}
	set, err := battery.New(ctx, wiring.Config{
		Profiles: all, StateDir: conf.StateDir, UIDs: conf.UIDs, EnableControllers: conf.EnableControllers,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelError})),
	}, strings.Split(f.levels, ","))
	if err != nil {
		return nil, err
	}
	defer set.Close()
	severities := strings.Split(f.severities, ",")
	probes := slices.DeleteFunc(set.Probes, func(p escape.Probe) bool {
		return !only.MatchString(p.Name) || !p.Innocent && !slices.Contains(severities, p.Severity)
	})
	if len(probes) == 0 {
		return nil, fmt.Errorf("no probe matches %q of severity %s", f.only, f.severities)
	}
	return set.Run(ctx, probes, f.parallel, version)
}
