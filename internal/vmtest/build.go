package vmtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"safe-exec/internal/vmtest/console"
)

// testLimitSlack is how much earlier the test binary's own time-out comes than
// the init's kill, so that it can print where it hangs. It counts from where the
// tests begin, which is after what they share is set up.
const testLimitSlack = 30 * time.Second

// Where things lie in the machine. A suite finds itself at its package's place
// below sourceDir, as under "go test".
const (
	binaryDir = "/vmtest/bin"
	sourceDir = "/vmtest/src"
)

// builder compiles into a scratch directory and lays the results into a tree.
type builder struct {
	module  string // host directory of the module
	scratch string
	tree    *Tree
}

// init builds the machine's process 1.
func (b *builder) init(ctx context.Context) error {
	out := filepath.Join(b.scratch, "init")
	if err := b.compile(ctx, []string{"CGO_ENABLED=0"}, "build", "-o", out, "./internal/vmtest/init"); err != nil {
		return err
	}
	return b.tree.Host("/init", out)
}

// suite builds one test binary and returns the command that runs it.
func (b *builder) suite(ctx context.Context, s Suite) (console.Command, error) {
	if s.Timeout <= testLimitSlack {
		return console.Command{}, fmt.Errorf("suite %s: the time-out %s must be above %s", s.Name, s.Timeout, testLimitSlack)
	}
	// By tags too, since a package may be there in more than one build.
	file := strings.NewReplacer("/", "-", ",", "-").Replace(s.Name+s.Tags) + ".test"
	out := filepath.Join(b.scratch, file)
	args := []string{"test", "-c", "-o", out}
	env := []string{"CGO_ENABLED=0"}
	tags := s.Tags
	// Without symbols: an initial root above 256 MiB does not boot.
	link := "-s -w"
	if s.Static {
		env = []string{"CGO_ENABLED=1"}
		tags = strings.Trim("netgo,osusergo,"+tags, ",")
		link += ` -linkmode external -extldflags "-static"`
	}
	args = append(args, "-ldflags", link)
	if tags != "" {
		args = append(args, "-tags", tags)
	}
	if err := b.compile(ctx, env, append(args, "./"+s.Name)...); err != nil {
		return console.Command{}, err
	}
	if _, err := os.Stat(out); err != nil {
		// "go test -c" says nothing of a package without test files.
		return console.Command{}, fmt.Errorf("suite %s: no test binary: %w", s.Name, err)
	}
	inside := path.Join(binaryDir, file)
	if err := b.tree.Host(inside, out); err != nil {
		return console.Command{}, err
	}
	if err := b.tree.Libraries(out); err != nil {
		return console.Command{}, err
	}
	dir, err := b.sources(s)
	if err != nil {
		return console.Command{}, err
	}
	return console.Command{
		Name: s.Label(), Dir: dir, Env: s.Env, TimeoutMS: s.Timeout.Milliseconds(),
		Argv: append([]string{inside}, s.flags()...),
	}, nil
}

func (s Suite) flags() []string {
	f := []string{"-test.v", "-test.count=1", "-test.timeout=" + (s.Timeout - testLimitSlack).String()}
	if s.Run != "" {
		f = append(f, "-test.run="+s.Run)
	}
	if s.Skip != "" {
		f = append(f, "-test.skip="+s.Skip)
	}
	if s.Short {
		f = append(f, "-test.short")
	}
	return f
}

// sources makes the suite's working directory with its testdata and files.
func (b *builder) sources(s Suite) (string, error) {
	dir := path.Join(sourceDir, s.Name)
	b.tree.parents(dir + "/x")
	wanted := append([]string(nil), s.Files...)
	if data := path.Join(s.Name, "testdata"); isDir(filepath.Join(b.module, data)) {
		wanted = append(wanted, data)
	}
	for _, f := range wanted {
		if err := b.tree.Walk(path.Join(sourceDir, f), filepath.Join(b.module, f)); err != nil {
			return "", fmt.Errorf("suite %s: file %s: %w", s.Name, f, err)
		}
	}
	return dir, nil
}

func isDir(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

func (b *builder) compile(ctx context.Context, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.module
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}
