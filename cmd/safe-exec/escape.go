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
	"time"

	"safe-exec/cgroup"
	"safe-exec/internal/wiring"
	"safe-exec/nsjail"
	"safe-exec/nsjail/escape"
	"safe-exec/nsjail/image"
	"safe-exec/policy"
	"safe-exec/profiles"
)

type escapeFlags struct {
	*flags
	config, html, only, levels string
	asJSON                     bool
	parallel                   int
}

// escapeBattery runs the battery in this process; exit status 0 only if
// everything held and every control won.
func escapeBattery(args []string, std stdio) int {
	f := &escapeFlags{flags: newFlags("escape", "",
		"exit status: 0 everything held and every control won, 1 not so, 2 usage, 125 safe-exec failed")}
	f.BoolVar(&f.asJSON, "json", false, "print the report as JSON")
	f.StringVar(&f.html, "html", "", "also write the report as one HTML page to this `FILE`")
	f.StringVar(&f.only, "probe", "", "only probes whose name matches this regular `EXPRESSION`")
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
	all = profiles.WithPythonFull(all)
	runner, err := wiring.Runner(ctx, wiring.Config{
		Profiles: all, StateDir: conf.StateDir, UIDs: conf.UIDs, EnableControllers: conf.EnableControllers,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		return nil, err
	}
	defer runner.Close()
	interpreters := make(map[policy.Language]string)
	for _, language := range policy.Languages() {
		if interpreters[language], _, err = image.Find(ctx, language, all[string(language)].Interpreter); err != nil {
			return nil, err
		}
	}
	naive, err := escape.NewNaive(conf.UIDs, cgroup.Options{EnableControllers: conf.EnableControllers}, interpreters)
	if err != nil {
		return nil, err
	}
	defer naive.Close()
	targets, err := escape.Plant()
	if err != nil {
		return nil, err
	}
	defer targets.Remove()
	probes, err := escape.Probes()
	if err != nil {
		return nil, err
	}
	uids, parent := runner.Owned()
	b := &escape.Battery{
		Executor: runner, Naive: naive, Targets: targets, Levels: strings.Split(f.levels, ","),
		Watch: escape.Watch(uids, parent, os.Getpid()),
	}
	report := newReport(runner)
	probes = slices.DeleteFunc(probes, func(p escape.Probe) bool { return !only.MatchString(p.Name) })
	left, err := b.All(ctx, probes, f.parallel, func(rows []escape.Row) { report.Add(rows...) })
	if err != nil {
		return nil, err
	}
	report.Leave(left)
	report.Sort()
	if len(report.Rows) == 0 {
		return nil, fmt.Errorf("no probe matches %q", f.only)
	}
	return report, nil
}

func newReport(r *nsjail.Runner) *escape.Report {
	report := &escape.Report{Time: time.Now(), Version: version, Kernel: r.Kernel(), Cgroup: r.CgroupVersion(), Layers: r.Layers()}
	for _, rt := range r.Runtimes() {
		report.Filters = append(report.Filters, escape.Filter{
			Profile: rt.Profile.Name, Interpreter: rt.Version, Startup: rt.StartupFilter, Steady: rt.SteadyFilter,
		})
	}
	return report
}
