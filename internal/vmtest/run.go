package vmtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"safe-exec/internal/vmtest/console"
)

// Config says what to run and where.
type Config struct {
	Module  string        // directory of the module on the host
	Cache   string        // directory that keeps the kernel
	Suites  []Suite       // in order; at least one
	Memory  int           // of the machine, MiB
	Timeout time.Duration // of the machine's whole life
	KVM     bool
	Show    io.Writer // gets the console and a summary
}

// Run builds the suites, boots a machine that runs them, and returns an error
// that lists everything that went wrong; nil means that each suite passed,
// nothing was skipped and nothing left behind. It removes what it made, save
// the cache.
func Run(ctx context.Context, cfg Config) (err error) {
	scratch, err := os.MkdirTemp("", "safe-exec-vmtest-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	start := time.Now()
	kernel, err := Kernel(ctx, cfg.Cache)
	if err != nil {
		return err
	}
	qemu, err := Qemu(ctx)
	if err != nil {
		return err
	}
	initrd, commands, err := assemble(ctx, cfg, scratch)
	if err != nil {
		return err
	}
	if err := describe(cfg, kernel, initrd, time.Since(start)); err != nil {
		return err
	}
	start = time.Now()
	m := Machine{Kernel: kernel, Initrd: initrd, Memory: cfg.Memory, Timeout: cfg.Timeout, KVM: cfg.KVM}
	var parser console.Parser
	runErr := m.Run(ctx, qemu, cfg.Show, &parser)
	if err := summarize(cfg.Show, &parser, time.Since(start)); err != nil {
		return err
	}
	return verdict(runErr, parser.Problems(names(commands)))
}

// assemble builds all that goes into the machine and packs it.
func assemble(ctx context.Context, cfg Config, scratch string) (string, []console.Command, error) {
	b := &builder{module: cfg.Module, scratch: scratch, tree: NewTree()}
	if err := b.init(ctx); err != nil {
		return "", nil, err
	}
	if err := b.tree.Userland(); err != nil {
		return "", nil, err
	}
	var commands []console.Command
	for _, s := range cfg.Suites {
		c, err := b.suite(ctx, s)
		if err != nil {
			return "", nil, err
		}
		commands = append(commands, c)
	}
	list, err := console.MarshalCommands(commands)
	if err != nil {
		return "", nil, err
	}
	b.tree.Bytes(console.CommandsPath, 0o644, list)
	initrd := filepath.Join(scratch, "initrd")
	if err := pack(b.tree, initrd); err != nil {
		return "", nil, err
	}
	info, err := os.Stat(initrd)
	if err != nil {
		return "", nil, err
	}
	return initrd, commands, bootable(info.Size())
}

// mostInitrd is the size in bytes of the largest archive that has been seen to
// boot, rounded down: above, the machine says nothing at all.
const mostInitrd = 250 << 20

func bootable(size int64) error {
	if size > mostInitrd {
		return fmt.Errorf("the initial root has %d MiB, and does not boot above %d: run fewer suites at once (-suites)", size>>20, mostInitrd>>20)
	}
	return nil
}

// pack writes the tree as an archive, not compressed: under emulation the
// machine takes longer to inflate it than to load the whole.
func pack(t *Tree, file string) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	return w.Flush()
}

func names(commands []console.Command) []string {
	list := make([]string, 0, len(commands))
	for _, c := range commands {
		list = append(list, c.Name)
	}
	return list
}

func verdict(runErr error, problems []string) error {
	if len(problems) == 0 {
		return runErr
	}
	return errors.Join(runErr, errors.New(strings.Join(problems, "\n")))
}

// describe says what is about to be tested on what.
func describe(cfg Config, kernel, initrd string, took time.Duration) error {
	info, err := os.Stat(initrd)
	if err != nil {
		return err
	}
	covered := make([]string, len(cfg.Suites))
	for i, s := range cfg.Suites {
		covered[i] = s.covers()
	}
	_, err = fmt.Fprintf(cfg.Show, "vmtest: %s, initramfs of %d MiB, built in %.1f s\nvmtest: covers, on cgroup v2: %s\n",
		filepath.Base(kernel), info.Size()>>20, took.Seconds(), strings.Join(covered, "; "))
	return err
}

func summarize(w io.Writer, p *console.Parser, took time.Duration) error {
	for _, r := range p.Results() {
		if _, err := fmt.Fprintf(w, "vmtest: %-28s %d passed, %d failed, %d skipped, %.1f s\n",
			r.Name, r.Passed, len(r.Failed), len(r.Skipped), r.Took.Seconds()); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "vmtest: machine ran for %.1f s\n", took.Seconds())
	return err
}
