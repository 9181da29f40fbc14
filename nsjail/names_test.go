package nsjail_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
	"safe-exec/profiles"
)

// oddNames look like something else: ways up, options, devices, hidden files, files
// that a harness, an interpreter or a loader of modules has a use for.
var oddNames = strings.Fields(`.. . ... .... ..data a.. a..b .hidden -rf --help ~ con NUL aux.txt C: * ? [ [x] # % $HOME
	.stdin program.py program.js harness.py <program> <string> __pycache__ __init__.py __proto__ constructor toString length random.py
	workdir.py workdir.js json.py sitecustomize.py usercustomize.py pyvenv.cfg node_modules package.json util.js index.js a b`)

// oddLetters are what other names are made of; those of ASCII stand in paths that
// callers may send.
const oddLetters = `... ab-'"` + "`" + `*?[]{}()$&;|<>!#%:=,+@^~_` + "\\\n\té\u0301\u202e\u2028😀\ufffd"

func drawName(r *rand.Rand) string {
	switch letters := []rune(oddLetters); r.IntN(4) {
	case 0, 1:
		return oddNames[r.IntN(len(oddNames))]
	case 2:
		name := ""
		for range 1 + r.IntN(5) {
			name += string(letters[r.IntN(len(letters))])
		}
		return name
	default:
		return strings.Repeat(oddNames[2+r.IntN(len(oddNames)-2)]+" ", 60)[:1+r.IntN(100)]
	}
}

func drawPath(r *rand.Rand) string {
	names := make([]string, 1+r.IntN(3))
	for i := range names {
		names[i] = drawName(r)
	}
	return strings.Join(names, "/")
}

// everyWay calls f for both languages, each level, and each way to
// start a jail, with a source of names of its own.
func everyWay(t *testing.T, f func(t *testing.T, r *rand.Rand, mode, language, level string)) {
	for _, language := range []string{"python", "javascript"} {
		for _, level := range []string{"strict", "standard", relaxed} {
			inEveryMode(t, language+", "+level, func(t *testing.T, mode string) {
				seed := rand.Uint64()
				t.Logf("seed %d", seed)
				f(t, rand.New(rand.NewPCG(seed, 0)), mode, language, level)
			})
		}
	}
}

// Whatever path the daemon accepts of a caller is there in every jail, can be read
// and written by the program, and comes back; and no file stands for a module.
func TestEveryPathThatIsAcceptedIsLaidOutAndComesBack(t *testing.T) {
	code := map[string]string{
		"python": `
import workdir as w, json, random
for p in w.list_files():
    if w.read_text(p) != p: print("other", ascii(p))
    w.write_text(p, p + "!")
print(len(w.list_files()), w.stdin(), json.dumps([random.Random(1).random() < 1]))`,
		"javascript": `
const w = require('workdir'), util = require('util');
for (const p of w.listFiles()) {
  if (w.readText(p) !== p) console.log('other', JSON.stringify(p));
  w.writeText(p, p + '!');
}
console.log(w.listFiles().length, w.stdin(), util.inspect([true]).replaceAll(' ', ''));`,
	}
	all, err := profiles.Default()
	require.NoError(t, err)
	everyWay(t, func(t *testing.T, r *rand.Rand, mode, language, level string) {
		in, want := policy.Input{Stdin: "given"}, map[string]string{}
		try := func(path string) {
			with := in
			with.Files = append(slices.Clone(in.Files), policy.InputFile{Path: path, Content: []byte(path)})
			if policy.CheckInput(with, nil, all[language].Fixed) == nil {
				in, want[path] = with, path+"!"
			}
		}
		for _, name := range oddNames {
			try(name)
		}
		require.Greater(t, len(in.Files), len(oddNames)-5, "of these . and .. alone are no names, and few clash")
		for len(in.Files) < policy.MaxInputFiles {
			try(drawPath(r))
		}
		result := execute(t, mode, policy.Request{Language: language, Level: level, Code: code[language], Input: in})
		assert.Equal(t, policy.Succeeded, result.Status, "%q %+v", result.Stderr, result.Termination)
		assert.Equal(t, fmt.Sprintln(len(want), "given [true]"), result.Stdout)
		files, skipped := paths(result)
		assert.Equal(t, want, files)
		assert.Empty(t, skipped)
	})
}

// A program may use every path below its working directory, and learns by an error
// that it can catch which are not: those from the root, and with a name that is two
// dots and no more.
func TestEveryPathBelowTheWorkingDirectoryIsTheProgramsToUse(t *testing.T) {
	code := map[string]string{
		"python": `
import workdir as w
for p in w.args:
    try:
        w.write_text(p, "")
        w.remove(p)
        w.write_text(p, p)
        print("used" if w.read_bytes(p) == p.encode() else "other")
    except PermissionError:
        print("refused")`,
		"javascript": `
const w = require('workdir');
for (const p of w.args) {
  try {
    w.writeText(p, '');
    w.remove(p);
    w.writeText(p, p);
    console.log(w.readText(p) === p ? 'used' : 'other');
  } catch (e) {
    if (e.code !== 'EPERM') throw e;
    console.log('refused');
  }
}`,
	}
	everyWay(t, func(t *testing.T, r *rand.Rand, mode, language, level string) {
		var in policy.Input
		taken, said := map[string]bool{}, ""
		want, hidden := map[string]string{}, 0
		try := func(path string) {
			names, up := namesOf(path)
			if !up && (len(names) == 0 || !claim(taken, names)) {
				return
			}
			in.Args = append(in.Args, path)
			switch whole := strings.Join(names, "/"); {
			case up:
				said += "refused\n"
				return
			case strings.ContainsFunc(whole, func(c rune) bool {
				return unicode.In(c, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
			}):
				hidden++
			default:
				want[whole] = path
			}
			said += "used\n"
		}
		for _, path := range []string{"../x", "x/..", "/x", "/", "..", "a/../..b", "..a/b", "./..c", "d..//..e", "v1..v2/x", "..é/ü.txt"} {
			try(path)
		}
		for len(in.Args) < policy.MaxArgs {
			try(drawPath(r))
		}
		result := execute(t, mode, policy.Request{Language: language, Level: level, Code: code[language], Input: in})
		assert.Equal(t, policy.Succeeded, result.Status, "%q %+v", result.Stderr, result.Termination)
		assert.Equal(t, said, result.Stdout, "%q", in.Args)
		files, _ := paths(result)
		assert.Equal(t, want, files)
		assert.Len(t, result.FilesSkipped, hidden, "what cannot be shown in a line is named as not brought back")
	})
}

// A frame is the harness's by its whole file, not by how its path ends.
func TestAStackKeepsFramesOfFilesThatAreNamedLikeTheHarness(t *testing.T) {
	inModes(t, "", func(t *testing.T, mode string) {
		file := "d" + profiles.HarnessDir + "/harness.js"
		result := execute(t, mode, policy.Request{Language: "javascript", Level: relaxed, Code: "require('./" + file + "')()", Input: policy.Input{
			Files: []policy.InputFile{{Path: file, Content: []byte("module.exports = function thrower() {\n  throw new Error('x');\n};")}},
		}})
		assert.Contains(t, result.Stderr, "at thrower (/tmp/"+file+":2:9)")
		assert.NotContains(t, result.Stderr, "("+profiles.HarnessDir)
	})
}

// namesOf are those that a path leads through, and whether it leads out.
func namesOf(path string) (names []string, up bool) {
	for name := range strings.SplitSeq(path, "/") {
		switch name {
		case "", ".":
		case "..":
			up = true
		default:
			names = append(names, name)
		}
	}
	return names, up || strings.HasPrefix(path, "/")
}

// claim takes a path for a file if none of its names is another's: taken holds
// files, and directories with a slash behind.
func claim(taken map[string]bool, names []string) bool {
	whole := strings.Join(names, "/")
	if taken[whole] || taken[whole+"/"] {
		return false
	}
	for i := 1; i < len(names); i++ {
		if taken[strings.Join(names[:i], "/")] {
			return false
		}
	}
	taken[whole] = true
	for i := 1; i < len(names); i++ {
		taken[strings.Join(names[:i], "/")+"/"] = true
	}
	return true
}
