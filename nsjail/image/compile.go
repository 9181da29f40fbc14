package image

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// compiler compiles what it reads and touches no file. A request is two
// lengths, the path that tracebacks shall show, and the text; an answer is a
// length, P or E, and the .pyc or the complaint. Flag 1 of a .pyc means that it
// is bound to its source by a hash and is not checked against it at import
// (PEP 552): in a sealed image nothing can come between the two.
const compiler = `
import sys, marshal
from importlib.util import MAGIC_NUMBER, source_hash
read, out = sys.stdin.buffer.read, sys.stdout.buffer
while True:
    head = read(8)
    if not head:
        break
    path = read(int.from_bytes(head[:4], "little")).decode()
    text = read(int.from_bytes(head[4:], "little"))
    try:
        code = compile(text, path, "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError) as e:
        body = b"E" + str(e).encode("utf-8", "replace")
    else:
        body = b"P" + MAGIC_NUMBER + (1).to_bytes(4, "little") + source_hash(text) + marshal.dumps(code)
    out.write(len(body).to_bytes(4, "little") + body)
out.flush()
`

// pycHeader is the length of a .pyc file's header: magic number, flags, hash.
const pycHeader = 16

// compile gives every Python file in the plan its .pyc, from the cache or by
// the host's interpreter.
func (b *builder) compile(ctx context.Context) error {
	if len(b.sources) == 0 {
		return nil
	}
	key := cacheKey(b.runtime, b.sources)
	cache, err := openCache(b.config.CacheDir)
	if err != nil {
		return err
	}
	defer cache.close()
	compiled, ok := cache.load(key, b.runtime.magic)
	if b.cached = ok; !ok {
		if compiled, err = compileAll(ctx, b.runtime, b.sources); err != nil {
			return err
		}
		if err := cache.store(key, compiled); err != nil {
			b.warnings = append(b.warnings, "compiled files are not kept: "+err.Error())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(compiled)) {
		if err := b.plan.file(compiledName(name, b.runtime.tag), compiled[name]); err != nil {
			return err
		}
	}
	return nil
}

// compiledName is where the interpreter looks for a source's .pyc; one of ours
// is started by its name and stands beside its source.
func compiledName(source, tag string) string {
	dir, stem := filepath.Dir(source), strings.TrimSuffix(filepath.Base(source), ".py")
	if dir == ownDir {
		return filepath.Join(dir, stem+".pyc")
	}
	return filepath.Join(dir, "__pycache__", stem+"."+tag+".pyc")
}

// compileAll compiles sources, given by image path, on all processors. Some
// tests of the standard library are wrong on purpose: a source that does not
// compile gets no .pyc, unless it is ours.
func compileAll(ctx context.Context, h *host, sources map[string][]byte) (map[string][]byte, error) {
	shares := split(sources, runtime.NumCPU())
	answers := make([][]byte, len(shares))
	err := parallel(ctx, len(shares), func(i int) (err error) {
		var in bytes.Buffer
		for _, name := range shares[i] {
			for _, n := range []int{len(name), len(sources[name])} {
				in.Write(binary.LittleEndian.AppendUint32(nil, uint32(n)))
			}
			in.WriteString(name)
			in.Write(sources[name])
		}
		answers[i], err = run(ctx, compileTimeout, &in, h.path, "-I", "-S", "-E", "-B", "-W", "ignore", "-c", compiler)
		return err
	})
	if err != nil {
		return nil, err
	}
	compiled := make(map[string][]byte, len(sources))
	for i, names := range shares {
		if err := readAnswers(answers[i], names, h.magic, compiled); err != nil {
			return nil, err
		}
	}
	return compiled, nil
}

// readAnswers takes apart what one compiler wrote, an answer a name.
func readAnswers(b []byte, names []string, magic []byte, into map[string][]byte) error {
	for _, name := range names {
		if len(b) < 4 {
			return fmt.Errorf("compiler stopped before %s", name)
		}
		n := binary.LittleEndian.Uint32(b)
		if b = b[4:]; n == 0 || uint64(n) > uint64(len(b)) {
			return fmt.Errorf("compiler stopped in %s", name)
		}
		verdict, body := b[0], b[1:n]
		b = b[n:]
		switch {
		case verdict == 'P' && validPyc(body, magic):
			into[name] = body
		case verdict == 'E' && filepath.Dir(name) != ownDir:
		case verdict == 'E':
			return fmt.Errorf("%s: %s", name, body)
		default:
			return fmt.Errorf("compiler gave no .pyc of its own version for %s", name)
		}
	}
	if len(b) > 0 {
		return fmt.Errorf("compiler wrote %d bytes too many", len(b))
	}
	return nil
}

func validPyc(b, magic []byte) bool {
	return len(b) > pycHeader && bytes.Equal(b[:4], magic) && binary.LittleEndian.Uint32(b[4:]) == 1
}

// split deals sources out in n shares of about the same size.
func split(sources map[string][]byte, n int) [][]string {
	names := slices.Sorted(maps.Keys(sources))
	slices.SortStableFunc(names, func(a, b string) int { return len(sources[b]) - len(sources[a]) })
	shares, sizes := make([][]string, n), make([]int, n)
	for _, name := range names {
		i := slices.Index(sizes, slices.Min(sizes))
		shares[i] = append(shares[i], name)
		sizes[i] += len(sources[name]) + 1
	}
	return slices.DeleteFunc(shares, func(s []string) bool { return len(s) == 0 })
}
