package profiles_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
)

// nested is a program of any depth.
type nested struct {
	name string
	code func(depth int) string
}

// around puts depth pairs around a core that the policy rewrites or looks at.
func around(name, head, open, core, end string) nested {
	return nested{name, func(depth int) string { return head + nest(depth, open, core, end) }}
}

var nestings = []nested{
	around("unary minus", "x=", "-", "y.__dict__", ""),
	around("not", "x=", "not ", "y.__dict__", ""),
	around("powers", "x=", "1**", "y.__dict__", ""),
	around("sums", "x=", "", "y.__dict__", "+1"),
	around("attributes", "x=", "", "y.__dict__", ".b"),
	around("calls", "x=", "", "y.__dict__", "()"),
	around("subscripts", "x=", "", "y.__dict__", "[0]"),
	around("lambdas", "x=", "lambda:", "y.__dict__", ""),
	around("conditional expressions", "x=", "1 if 1 else ", "y.__dict__", ""),
	around("a format string inside", "x=", "-", `f"{y.__dict__}"`, ""),
	around("await inside", "async def f():\n x=", "-", "(await y.__dict__)", ""),
	{"else if", func(depth int) string {
		return "if 1: pass\n" + strings.Repeat("elif 1: pass\n", depth) + "else: y.__dict__"
	}},
	around("nothing that is rewritten", "x=", "-", "y", ""),
}

// TestAtTheEdgeOfTheDepthAPythonProgramGetsAVerdict looks for the depth from which on
// a program is no program any more, which differs by version of the interpreter, and
// wants a verdict of every depth around it, the same of a start ahead as of a cold one.
// A fork has that depth a little sooner: what stands in for the shim here has frames of
// its own below it.
func TestAtTheEdgeOfTheDepthAPythonProgramGetsAVerdict(t *testing.T) {
	ways := python.everyWay()
	everyCPU(t, nestings, func(t *testing.T, _ int, row nested) {
		edge := sort.Search(20000, func(depth int) bool {
			return run(t, ways[0], strictPython(row.code(depth))).kind == wire.SyntaxError
		})
		assert.Less(t, edge, 20000, "%s: no depth is too much", row.name)
		for depth := edge - 5; depth < edge+3; depth++ {
			answers := map[way]string{}
			for _, i := range ways {
				out := run(t, i, strictPython(row.code(depth)))
				assert.Contains(t, []wire.Kind{wire.Accepted, wire.Violations, wire.SyntaxError}, out.kind, "%s, %d deep, %s: %c %q", row.name, depth, i.way, out.kind, out.payload)
				assert.Contains(t, []int{0, 90}, out.exit, "%s, %d deep, %s", row.name, depth, i.way)
				answers[i.way] = string(rune(out.kind)) + string(out.payload)
			}
			assert.Equal(t, answers[cold], answers[warm], "%s, %d deep", row.name, depth)
		}
	})
}

// TestWhatTheCheckOfAPythonProgramTripsOverIsTheProgram has texts that the interpreter
// takes, and whose rewriting it does not.
func TestWhatTheCheckOfAPythonProgramTripsOverIsTheProgram(t *testing.T) {
	chain := func(classes int) string {
		var b strings.Builder
		b.WriteString("class C0: pass\n")
		for n := range classes {
			fmt.Fprintf(&b, "class C%d(C%d): pass\n", n+1, n)
		}
		return b.String() + fmt.Sprintf("match 1:\n case C%d(x): pass", classes)
	}
	for _, row := range []struct {
		name, code string
		want       wire.Kind
	}{
		{"classes that are each other's bases", "class A: pass\nclass B(A): pass\nclass A(B): pass\nmatch 1:\n case B(x): pass", wire.Violations},
		{"two classes in a circle", "if 1:\n class A(B): pass\nclass B(A): pass\nmatch 1:\n case A(x): pass", wire.Violations},
		{"a chain of 50 classes", chain(50), wire.Violations},
		{"a chain of 2,000 classes", chain(2000), wire.Violations},
		{"a chain that ends in a builtin", strings.Replace(chain(1000), "C0:", "C0(int):", 1), wire.Accepted},
		{"attributes that are no names", "class C:\n __match_args__ = ('None',)\nmatch 1:\n case C(x): pass", wire.SyntaxError},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, i := range python.ways() {
				out := run(t, i, strictPython(row.code))
				assert.Equal(t, string(rune(row.want)), string(rune(out.kind)), "%s: %q", i.way, out.payload)
			}
		})
	}
}

// TestOnlyWhatATextCanBeTooMuchForIsTheProgram plants a check that fails.
func TestOnlyWhatATextCanBeTooMuchForIsTheProgram(t *testing.T) {
	good, err := image()
	require.NoError(t, err)
	for _, row := range []struct {
		raised string
		want   wire.Kind
	}{
		{"RecursionError", wire.SyntaxError}, {"MemoryError", wire.SyntaxError}, {"OverflowError", wire.SyntaxError},
		{"ValueError", wire.SyntaxError}, {"SystemError", wire.SyntaxError}, {"SyntaxError", wire.SyntaxError},
		{"KeyError", wire.Failed}, {"AttributeError", wire.Failed}, {"OSError", wire.Failed},
	} {
		t.Run(row.raised, func(t *testing.T) {
			dir := openDir(t)
			for _, name := range []string{"_safe_exec.abi3.so", "steady.bpf", "harness.pyc"} {
				require.NoError(t, os.Link(filepath.Join(good, name), filepath.Join(dir, name)))
			}
			text, err := os.ReadFile(filepath.Join(good, "program.py"))
			require.NoError(t, err)
			planted := filepath.Join(dir, "program.py")
			require.NoError(t, os.WriteFile(planted, append(text, "\ndef check(*given): raise "+row.raised+"\n"...), 0o644))
			const script = "import sys, py_compile; py_compile.compile(sys.argv[1], sys.argv[1] + 'c', doraise=True)"
			require.NoError(t, exec.Command(python.path(t), "-I", "-S", "-c", script, planted).Run())
			out := runIn(t, dir, python, strictPython("print('ran')"))
			assert.Equal(t, string(rune(row.want)), string(rune(out.kind)), "%q", out.payload)
			assert.Empty(t, out.stdout, "it ran")
		})
	}
}
