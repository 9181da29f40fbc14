package image

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"safe-exec/policy"
)

// Oldest versions that the harness is written for.
const (
	minPythonMinor = 9
	minNodeMajor   = 20
)

const (
	probeTimeout   = 30 * time.Second
	compileTimeout = 3 * time.Minute
	outputWait     = 10 * time.Second // for pipes that outlive a killed interpreter
)

// host is an interpreter of the host and what it says of itself.
type host struct {
	path    string // resolved
	inside  string // where it goes in the image
	version string

	// Python only.
	build   string // sys.version: differs where the version alone does not
	tag     string // of .pyc names: cpython-311
	magic   []byte // first bytes of its .pyc files
	prefix  string
	library string // directory of the standard library
	libname string // lib or lib64: what the library's directory stands in
}

// Candidates lists the places where an interpreter is looked for when none is
// configured.
func Candidates(l policy.Language) []string {
	var names []string
	switch l {
	case policy.Python:
		names = append(names, "python3")
		for minor := 13; minor >= minPythonMinor; minor-- {
			names = append(names, "python3."+strconv.Itoa(minor))
		}
	case policy.JavaScript:
		names = append(names, "node", "nodejs")
	}
	var paths []string
	for _, dir := range []string{"/usr/bin", "/usr/local/bin"} {
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

func findRuntime(ctx context.Context, c Config) (*host, error) {
	paths := Candidates(c.Language)
	if len(paths) == 0 {
		return nil, fail("image_interpreter", fmt.Sprintf("no image is known for language %q", c.Language), nil)
	}
	if c.Interpreter != "" {
		paths = []string{c.Interpreter}
	}
	var reasons error
	for _, path := range paths {
		h, err := probe(ctx, c.Language, path)
		switch {
		case err == nil:
			return h, nil
		case ctx.Err() != nil:
			return nil, fail("image_interpreter", "the search for an interpreter was cut short", ctx.Err())
		case reasons == nil:
			reasons = err
		default:
			reasons = fmt.Errorf("%w; %w", reasons, err)
		}
	}
	return nil, fail("image_interpreter", fmt.Sprintf("no usable %s interpreter", c.Language), reasons)
}

func probe(ctx context.Context, l policy.Language, path string) (*host, error) {
	real, err := trustedPath(path)
	if err != nil {
		return nil, err
	}
	if _, err := readObject(real); err != nil {
		return nil, fmt.Errorf("%s is not an ELF program (a wrapper script will not do): %w", path, err)
	}
	ask := probePython
	if l == policy.JavaScript {
		ask = probeNode
	}
	h, err := ask(ctx, real)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

const pythonQuestions = `
import importlib.util, os, sys
v = sys.version_info
for a in ("%d.%d.%d" % v[:3], sys.version.replace("\n", " "), sys.implementation.cache_tag,
          importlib.util.MAGIC_NUMBER.hex(), sys.base_prefix, os.path.dirname(os.__file__)):
    print(a)
`

func probePython(ctx context.Context, path string) (*host, error) {
	out, err := run(ctx, probeTimeout, nil, path, "-I", "-S", "-B", "-c", pythonQuestions)
	if err != nil {
		return nil, err
	}
	a := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(a) != 6 {
		return nil, fmt.Errorf("answered %d lines where 6 were asked: %q", len(a), out)
	}
	h := &host{path: path, version: a[0], build: a[1], tag: a[2], prefix: a[4]}
	var major, minor int
	if _, err := fmt.Sscanf(h.version, "%d.%d.", &major, &minor); err != nil {
		return nil, fmt.Errorf("version %q: %w", h.version, err)
	}
	if major != 3 || minor < minPythonMinor {
		return nil, fmt.Errorf("is Python %s, at least 3.%d is needed", h.version, minPythonMinor)
	}
	if _, err := fmt.Sscanf(a[3], "%x", &h.magic); err != nil || len(h.magic) != 4 {
		return nil, fmt.Errorf("magic number %q", a[3])
	}
	if h.library, err = trustedPath(a[5]); err != nil {
		return nil, fmt.Errorf("standard library: %w", err)
	}
	name := "python3." + strconv.Itoa(minor)
	h.inside = "/usr/bin/" + name
	h.libname = filepath.Base(filepath.Dir(a[5]))
	if filepath.Base(a[5]) != name || (h.libname != "lib" && h.libname != "lib64") {
		return nil, fmt.Errorf("standard library is in %s, expected lib/%s below the prefix", a[5], name)
	}
	return h, nil
}

func probeNode(ctx context.Context, path string) (*host, error) {
	out, err := run(ctx, probeTimeout, nil, path, "-p", "JSON.stringify(process.versions)")
	if err != nil {
		return nil, err
	}
	var v struct {
		Node string `json:"node"`
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return nil, fmt.Errorf("answered %q: %w", out, err)
	}
	var major int
	if _, err := fmt.Sscanf(v.Node, "%d.", &major); err != nil {
		return nil, fmt.Errorf("version %q: %w", v.Node, err)
	}
	if major < minNodeMajor {
		return nil, fmt.Errorf("is Node %s, at least %d is needed", v.Node, minNodeMajor)
	}
	return &host{
		path: path, inside: "/usr/bin/node", version: v.Node,
		prefix: filepath.Dir(filepath.Dir(path)),
	}, nil
}

// flags are those of Image.Flags. Python has none.
func (h *host) flags(ctx context.Context, l policy.Language) ([]string, error) {
	if l != policy.JavaScript {
		return nil, nil
	}
	options, err := run(ctx, probeTimeout, nil, h.path, "--v8-options")
	return withoutKeys(options), err
}

// keysOption is an option of V8 in the list that --v8-options prints. Its name differs from
// version to version.
var keysOption = regexp.MustCompile(`(?m)^ +--([a-z-]*memory-protection-keys) `)

// withoutKeys gives the flags by which V8 guards its code without memory protection keys
// (pkeys(7)). It asks for a key when it starts. In a jail the filter tells it that the kernel
// has none; a template has no filter yet, and what V8 finds there its forks would go by.
func withoutKeys(options []byte) (flags []string) {
	for _, found := range keysOption.FindAllSubmatch(options, -1) {
		flags = append(flags, "--no-"+string(found[1]))
	}
	return flags
}

// run gives what a trusted program of the host writes to its output, in an
// empty environment. The error carries the last of what it complained.
func run(ctx context.Context, limit time.Duration, stdin io.Reader, path string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	//nolint:forbidigo // only this heeds ctx; the path is absolute and Env is set
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{} // nil would hand on the daemon's
	cmd.Dir = "/"
	cmd.Stdin = stdin
	cmd.WaitDelay = outputWait
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() == context.DeadlineExceeded {
		return nil, fmt.Errorf("gave no answer in %s: %w", limit, ctx.Err())
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		words := strings.TrimSpace(stderr.String())
		if len(words) > 400 {
			words = "..." + words[len(words)-400:]
		}
		return nil, fmt.Errorf("cannot be run: %w: %s", err, words)
	}
	return stdout.Bytes(), nil
}
