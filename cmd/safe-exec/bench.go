package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"safe-exec/internal/benchmark"
	"safe-exec/nsjail/image"
	"safe-exec/policy"
)

type benchFlags struct {
	*flags
	options               benchmark.Options
	languages, only, with string
	asJSON                bool
	table                 string
}

func newBenchFlags() *benchFlags {
	f := &benchFlags{flags: newFlags("bench", "",
		"A target that is missed is printed as missed.\nexit status: 0 every figure could be measured, 2 wrong usage, 125 not so")}
	f.IntVar(&f.options.Rounds, "rounds", 100, "`N` runs of each hello for the latencies (default 100)")
	f.IntVar(&f.options.Slices, "slices", 2, "`N` slices of throughput of each case (default 2)")
	f.DurationVar(&f.options.Slice, "slice", 2*time.Second, "length `D` of one slice (default 2s)")
	f.IntVar(&f.options.Soak, "soak", 0, "`N` runs in a row of each language, to see what grows (default 0: not measured)")
	f.IntVar(&f.options.Sleepers, "sleepers", benchmark.MaxSleepers, "`N` Python programs that sleep at once (default 500, which is the most)")
	f.StringVar(&f.only, "only", "", "measure these `FIGURES` alone, with commas between: "+strings.Join(benchmark.Figures(), ", "))
	f.StringVar(&f.languages, "language", "", "measure these `LANGUAGES` alone: python, javascript, or what requests call them")
	f.StringVar(&f.with, "compare", "", "measure these `PEERS` too, where they are installed: "+strings.Join(benchmark.Peers(), ", "))
	f.BoolVar(&f.asJSON, "json", false, "print the figures as JSON, which docs/benchmarks.md describes")
	f.StringVar(&f.table, "table", "", "measure nothing: print the table of such a `FILE`")
	return f
}

// bench measures this machine: bare interpreters and the daemon in turn, in one
// process, so that a machine whose speed drifts still gives honest ratios.
func bench(args []string, std stdio) int {
	f := newBenchFlags()
	if status, done := f.parse(args, 0, std); done {
		return status
	}
	if err := f.check(); err != nil {
		std.complain(fmt.Errorf("bench: %w", err))
		return exitUsage
	}
	if f.table != "" {
		return f.printTable(std)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := f.measure(ctx, std.err)
	if err != nil {
		std.complain(err)
		return exitOurs
	}
	status := exitOK
	if len(report.Unmeasured) > 0 {
		status = exitOurs
	}
	if f.asJSON {
		return printJSON(std, report, status)
	}
	report.Print(std.out)
	return status
}

func (f *benchFlags) check() error {
	o := &f.options
	if o.Rounds < 1 || o.Slices < 0 || o.Slice <= 0 || o.Soak < 0 {
		return errors.New("rounds and slice must be above 0, slices and soak at least 0")
	}
	if o.Sleepers < 1 || o.Sleepers > benchmark.MaxSleepers {
		return fmt.Errorf("sleepers must be between 1 and %d", benchmark.MaxSleepers)
	}
	o.Only, o.Peers = commas(f.only), commas(f.with)
	if err := benchmark.CheckNames("figure", o.Only, benchmark.Figures()); err != nil {
		return err
	}
	switch wanted := slices.Contains(o.Only, benchmark.Soak); {
	case wanted && o.Soak == 0:
		return errors.New("the figure soak needs --soak N")
	case !wanted && o.Soak > 0 && len(o.Only) > 0:
		return errors.New("--soak N and --only without soak do not go together: nothing would be soaked")
	}
	var known []string
	for _, l := range policy.Languages() {
		known = append(known, string(l))
	}
	if err := benchmark.CheckNames("language", f.chosen(), known); err != nil {
		return err
	}
	return benchmark.CheckNames("peer", o.Peers, benchmark.Peers())
}

// chosen are the languages to measure by their own names; what is none stays as it is.
func (f *benchFlags) chosen() []string {
	names := commas(f.languages)
	for i, name := range names {
		if l, ok := policy.ParseLanguage(name); ok {
			names[i] = string(l)
		}
	}
	return names
}

func commas(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

func (f *benchFlags) measure(ctx context.Context, log io.Writer) (*benchmark.Report, error) {
	dir, err := os.MkdirTemp("", "safe-exec-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil { // the broker has its directory in it
		return nil, err
	}
	o := f.options
	o.Version = version
	o.Start = func(ctx context.Context, config string) (*benchmark.Daemon, error) {
		return startDaemon(ctx, dir, config, log)
	}
	say, done := progress(log)
	defer done()
	o.Say = say
	if o.Languages, err = benchLanguages(ctx, f.chosen()); err != nil {
		return nil, err
	}
	return benchmark.Run(ctx, o)
}

// benchLanguages finds the interpreters that the daemon takes too. Node has its
// modules in it, so that to import them costs next to nothing.
func benchLanguages(ctx context.Context, only []string) ([]benchmark.Language, error) {
	all, err := defaultConfig().profiles()
	if err != nil {
		return nil, err
	}
	flags := map[policy.Language][]string{policy.Python: {"-I", "-S", "-c"}, policy.JavaScript: {"-e"}}
	var found []benchmark.Language
	for _, language := range policy.Languages() {
		p := all[string(language)]
		if len(only) > 0 && !slices.Contains(only, p.Name) {
			continue
		}
		path, version, err := image.Find(ctx, language, p.Interpreter)
		if err != nil {
			return nil, err
		}
		l := benchmark.Language{Name: string(language), Version: version, Bare: append([]string{path}, flags[language]...)}
		if language == policy.Python {
			// What a bare interpreter has as well.
			l.Imports = slices.DeleteFunc(slices.Clone(p.Levels["standard"].Imports), func(m string) bool { return m == "workdir" })
		}
		found = append(found, l)
	}
	return found, nil
}

// printTable prints the table of a report that was measured before.
func (f *benchFlags) printTable(std stdio) int {
	text, err := os.ReadFile(f.table)
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	var report benchmark.Report
	if err := json.Unmarshal(text, &report); err != nil {
		std.complain(fmt.Errorf("%s: %w", f.table, err))
		return exitUsage
	}
	if report.SchemaVersion != benchmark.SchemaVersion {
		std.complain(fmt.Errorf("%s: schema_version is %d, not %d", f.table, report.SchemaVersion, benchmark.SchemaVersion))
		return exitUsage
	}
	report.Print(std.out)
	return exitOK
}

// progress shows what is being done on a terminal, and nothing elsewhere.
func progress(w io.Writer) (say func(string, ...any), done func()) {
	f, ok := w.(*os.File)
	if !ok {
		return func(string, ...any) {}, func() {}
	}
	if _, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS); err != nil {
		return func(string, ...any) {}, func() {}
	}
	const clear = "\r\x1b[K"
	return func(format string, args ...any) { fmt.Fprintf(w, clear+format, args...) }, func() { fmt.Fprint(w, clear) }
}
