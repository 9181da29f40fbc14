package profiles_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

// extreme is a program that is as large or as deep as a caller can send.
type extreme struct{ name, code string }

// nest puts depth pairs around a core.
func nest(depth int, open, core, end string) string {
	return strings.Repeat(open, depth) + core + strings.Repeat(end, depth)
}

// filled repeats a text up to the most that a program may have.
func filled(text string) string {
	return strings.Repeat(text, policy.MaxCodeBytes/len(text))
}

const deep = 10000

var extremes = map[policy.Language][]extreme{
	policy.Python: {
		{"a mebibyte of short statements", filled("x = 1\n")},
		{"a mebibyte of calls", filled("int(0)\n")},
		{"a mebibyte of one string", `"` + strings.Repeat("a", policy.MaxCodeBytes-2) + `"`},
		{"a mebibyte of comments", filled("# comment\n")},
		{"a mebibyte of empty lines", filled("\n")},
		{"a mebibyte of sums", "a = 1\na" + strings.Repeat("+a", policy.MaxCodeBytes/2-4)},
		{"a mebibyte of data", "x = [" + strings.Repeat(`{"a":[1,2.5,"b"]},`, policy.MaxCodeBytes/18-1) + "]"},
		{"a mebibyte of names in one line", filled("abcdef;")},
		{"a mebibyte of refused imports", filled("import os\n")},
		{"a mebibyte of refused names of wide letters", filled("é.__globals__\n")},
		{"a mebibyte of refused names in one line", "x=[" + strings.Repeat("é.__globals__,", policy.MaxCodeBytes/15-1) + "]"},
		{"a mebibyte of format strings", filled("'{0.__globals__}'\n")},
		{"a mebibyte of one format string", "'" + strings.Repeat("{0.a.b[c]}", policy.MaxCodeBytes/10-1) + "'"},
		{"a mebibyte of nonsense", filled("@#$ \x01\x7f")},
		{"parentheses", nest(deep, "(", "1", ")")},
		{"open parentheses", strings.Repeat("(", deep)},
		{"lists", nest(deep, "[", "", "]")},
		{"dictionaries", nest(deep, "{1:", "1", "}")},
		{"calls in calls", nest(deep, "int(", "", ")")},
		{"unary minus", strings.Repeat("-", deep) + "1"},
		{"not", strings.Repeat("not ", deep) + "1"},
		{"powers", strings.Repeat("2**", deep) + "1"},
		{"attributes", "a = 1\na" + strings.Repeat(".real", deep)},
		{"subscripts", "a = 1\na" + strings.Repeat("[0]", deep)},
		{"calls of calls", "f = int\nf" + strings.Repeat("()", deep)},
		{"sums", "1" + strings.Repeat("+1", deep)},
		{"comparisons", "1" + strings.Repeat("<1", deep)},
		{"conjunctions", "1" + strings.Repeat(" and 1", deep)},
		{"conditional expressions", strings.Repeat("1 if 1 else ", deep) + "1"},
		{"lambdas", strings.Repeat("lambda:", deep) + "1"},
		{"comprehensions", nest(deep, "[", "1", " for x in [1]]")},
		{"format strings", nest(deep, `f"{`, "1", `}"`)},
		{"format specifications", `f"` + nest(deep, "{1:", "", "}") + `"`},
		{"else if", "if 0: pass\n" + strings.Repeat("elif 0: pass\n", deep)},
		{"blocks", indented(deep, "if 1:")},
		{"functions", indented(deep, "def f():")},
		{"ninety blocks", indented(90, "if 1:")},
		{"decorators", strings.Repeat("@int\n", deep) + "def f(): pass"},
		{"literals side by side", "x = (" + strings.Repeat("'a' ", deep) + ")"},
		{"assignments", strings.Repeat("a = ", deep) + "1"},
		{"patterns", "match 1:\n case " + nest(deep, "[", "x", "]") + ": pass"},
		{"alternatives of a pattern", "match 1:\n case 1" + strings.Repeat("|1", deep) + ": pass"},
		{"names with dots in an import", "import a" + strings.Repeat(".a", deep)},
		{"names in an import", "from math import " + strings.Repeat("pi,", deep) + "e"},
		{"continued lines", strings.Repeat("\\\n", deep) + "1"},
		{"parameters", "def f(" + parameters(deep) + "): pass"},
	},
	policy.JavaScript: {
		{"a mebibyte of short statements", filled("x = 1;\n")},
		{"a mebibyte of calls", filled("Math.abs(0);\n")},
		{"a mebibyte of one string", `"` + strings.Repeat("a", policy.MaxCodeBytes-2) + `"`},
		{"a mebibyte of comments", filled("// comment\n")},
		{"a mebibyte of one comment", "/*" + strings.Repeat("*", policy.MaxCodeBytes-4) + "*/"},
		{"a mebibyte of empty lines", filled("\n")},
		{"a mebibyte of sums", "a=1;a" + strings.Repeat("+a", policy.MaxCodeBytes/2-4)},
		{"a mebibyte of data", "x=[" + strings.Repeat(`{"a":[1,2.5,"b"]},`, policy.MaxCodeBytes/18-1) + "]"},
		{"a mebibyte of refused modules", filled("require('fs');\n")},
		{"a mebibyte of refused names of wide letters", filled("é.constructor;eval;\n")},
		{"a mebibyte of nonsense", filled("@#$ \x01\x7f")},
		{"a mebibyte of one regular expression", "/" + strings.Repeat("a", policy.MaxCodeBytes-2) + "/"},
		{"parentheses", nest(deep, "(", "1", ")")},
		{"open parentheses", strings.Repeat("(", deep)},
		{"arrays", nest(deep, "[", "", "]")},
		{"objects", "x=" + nest(deep, "{a:", "1", "}")},
		{"blocks", nest(deep, "{", "", "}")},
		{"calls in calls", nest(deep, "f(", "", ")")},
		{"unary minus", strings.Repeat("- ", deep) + "1"},
		{"not", strings.Repeat("!", deep) + "1"},
		{"powers", strings.Repeat("2**", deep) + "1"},
		{"members", "Math" + strings.Repeat(".a", deep)},
		{"members that may be missing", "Math" + strings.Repeat("?.a", deep)},
		{"subscripts", "x=[];x" + strings.Repeat("[0]", deep)},
		{"calls of calls", "f" + strings.Repeat("()", deep)},
		{"new", strings.Repeat("new ", deep) + "Object"},
		{"sums", "1" + strings.Repeat("+1", deep)},
		{"conditional expressions", strings.Repeat("1?1:", deep) + "1"},
		{"commas", "1" + strings.Repeat(",1", deep)},
		{"arrow functions", strings.Repeat("()=>", deep) + "1"},
		{"functions", nest(deep, "(function(){", "", "})")},
		{"classes", nest(deep, "(class{static x=", "1", "})")},
		{"templates", nest(deep, "`${", "1", "}`")},
		{"else if", "if(0);" + strings.Repeat("else if(0);", deep)},
		{"loops", strings.Repeat("for(;0;)", deep) + ";"},
		{"labels", labels(deep)},
		{"groups of a regular expression", "/" + nest(deep, "(", "", ")") + "/"},
		{"spread", strings.Repeat("[...", deep) + "[]" + strings.Repeat("]", deep)},
		{"await", "await " + strings.Repeat("await ", deep) + "1"},
		{"imports", strings.Repeat("import 'util';\n", deep)},
		{"patterns", "let " + nest(deep, "[", "a", "]") + "=[]"},
		{"parameters", "(function(" + parameters(deep) + "){})"},
	},
}

func indented(depth int, head string) string {
	var b strings.Builder
	for i := range depth {
		if b.Len() > policy.MaxCodeBytes-depth {
			break // that many spaces do not fit any more
		}
		b.WriteString(strings.Repeat(" ", i) + head + "\n")
	}
	return b.String()[:b.Len()-1] + " pass"
}

func parameters(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("p" + strings.Repeat("a", i%7) + string(rune('a'+i%26)) + strconv.Itoa(i) + ",")
	}
	return strings.TrimSuffix(b.String(), ",")
}

func labels(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("l" + strconv.Itoa(i) + ":")
	}
	return b.String() + ";"
}

// TestTheLargestAndDeepestProgramsEndInAVerdict wants an orderly answer to
// each: a syntax error, a refusal, or a run that ends by itself. The harness
// must neither fail nor crash, and must not take longer than a run is given.
func TestTheLargestAndDeepestProgramsEndInAVerdict(t *testing.T) {
	for _, language := range policy.Languages() {
		t.Run(string(language), func(t *testing.T) {
			everyCPU(t, extremes[language], func(t *testing.T, _ int, row extreme) {
				assert.LessOrEqual(t, len(row.code), policy.MaxCodeBytes, row.name)
				ways := harnessOf(language, policy.Level{}).ways()
				if language == policy.JavaScript { // package nsjail has the largest and deepest of all ways
					ways = javascriptLocked.oneWay()
				}
				for _, i := range ways {
					out := run(t, i, strict(language, row.code))
					switch out.kind {
					case wire.SyntaxError, wire.Violations:
						assert.Zero(t, out.exit, "%s: %s", row.name, out.stderr)
						assert.Empty(t, out.stdout+out.stderr, row.name)
					case wire.Accepted:
						// It ran: what became of it is its own, but no signal.
						assert.Contains(t, []int{0, 90, 91, 92}, out.exit, "%s: %s", row.name, cut(out.stderr))
					default:
						assert.Fail(t, "no verdict", "%s: %c %q", row.name, out.kind, cut(string(out.payload)))
					}
				}
			})
		})
	}
}
