package nsjail_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

var whatTheyWereGiven = policy.Input{
	Stdin: "one\ntwo\n", Args: []string{"-v", "é"}, Env: map[string]string{"NAME": "value"},
	Files: []policy.InputFile{{Path: "in.txt", Content: []byte("text é")}, {Path: "d/e/b", Content: []byte{0, 0xff}}},
}

func TestProgramsFindWhatTheyWereGiven(t *testing.T) {
	for _, row := range []struct {
		name, language, level, code, want string
	}{
		{"Python, by the helper", "python", "strict", "import workdir as w\nprint(w.list_files(), w.read_text('in.txt'), w.read_bytes('d/e/b'), w.stdin().split(), w.args, w.env)\nw.write_text('o/p', 'x')\nw.remove('d/e/b')\nprint(w.list_files())",
			"['d/e/b', 'in.txt'] text é b'\\x00\\xff' ['one', 'two'] ['-v', 'é'] {'NAME': 'value'}\n['in.txt', 'o/p']\n"},
		{"Python, bare", "python", "relaxed", "import os, sys\nprint(sorted(os.listdir()), open('in.txt').read(), sys.stdin.read().split(), sys.argv, os.environ['NAME'])\nopen('out', 'w').close()",
			"['d', 'in.txt'] text é ['one', 'two'] ['/tmp/program.py', '-v', 'é'] value\n"},
		{"JavaScript, by the helper", "javascript", "strict", "const w = require('workdir'); console.log(w.listFiles(), w.readText('in.txt'), w.readBytes('d/e/b'), w.stdin().split('\\n').length, w.args, w.env); w.writeText('o/p', 'x'); w.remove('d/e/b'); console.log(w.listFiles())",
			"[ 'd/e/b', 'in.txt' ] text é Uint8Array(2) [ 0, 255 ] 3 [ '-v', 'é' ] { NAME: 'value' }\n[ 'in.txt', 'o/p' ]\n"},
		{"JavaScript, bare", "javascript", "relaxed", "const fs = require('fs'); console.log(fs.readdirSync('.'), fs.readFileSync('in.txt', 'utf8'), fs.readFileSync(0, 'utf8').length, process.argv.slice(1), process.env.NAME); process.stdin.on('end', () => console.log('end')).resume()",
			"[ 'd', 'in.txt' ] text é 8 [ '/tmp/program.js', '-v', 'é' ] value\nend\n"},
	} {
		inEveryMode(t, row.name, func(t *testing.T, mode string) {
			result := execute(t, mode, policy.Request{Language: row.language, Level: row.level, Code: row.code, Input: whatTheyWereGiven})
			assert.Equal(t, policy.Succeeded, result.Status, "%s %+v", result.Stderr, result.Termination)
			assert.Equal(t, row.want, result.Stdout)
			assert.Empty(t, result.Denials)
		})
	}
}

// What one program was given is nowhere in the next one's jail, though both may
// come from one pool or template.
func TestInputOfOneRunIsNotInTheNext(t *testing.T) {
	for language, code := range map[string]string{
		"python":     "import workdir as w\nprint(w.list_files(), repr(w.stdin()), w.args, w.env)",
		"javascript": "const w = require('workdir'); console.log(w.listFiles(), [w.stdin()], w.args, w.env)",
	} {
		inEveryMode(t, language, func(t *testing.T, mode string) {
			execute(t, mode, policy.Request{Language: language, Code: code, Input: whatTheyWereGiven})
			result := execute(t, mode, policy.Request{Language: language, Code: code})
			assert.Contains(t, []string{"[] '' [] {}\n", "[] [ '' ] [] {}\n"}, result.Stdout)
		})
	}
}

// The largest input that a request may have is there in whole, also where memory is
// at its least.
func TestTheLargestInputArrives(t *testing.T) {
	in := policy.Input{Args: make([]string, policy.MaxArgs), Env: map[string]string{}}
	for i := range policy.MaxEnv {
		in.Env[fmt.Sprint("NAME", i)] = ""
	}
	const share = (policy.MaxInputBytes - 1000) / 2
	in.Stdin = strings.Repeat("x", share)
	for i := range policy.MaxInputFiles {
		in.Files = append(in.Files, policy.InputFile{Path: fmt.Sprintf("1/2/3/4/5/6/%d/f", i), Content: bytes.Repeat([]byte{'y'}, share/policy.MaxInputFiles)})
	}
	code := policy.MaxCodeBytes - 200
	for _, row := range []struct{ language, code string }{
		{"python", "import workdir as w\nprint(len(w.stdin()), sum(len(w.read_bytes(p)) for p in w.list_files()), len(w.args), len(w.env))\n#" + strings.Repeat("x", code)},
		{"javascript", "const w = require('workdir'); let n = 0; for (const p of w.listFiles()) n += w.readBytes(p).length; console.log(w.stdin().length, n, w.args.length, Object.keys(w.env).length)\n//" + strings.Repeat("x", code)},
	} {
		inEveryMode(t, row.language, func(t *testing.T, mode string) {
			least := map[string]int64{"python": 32, "javascript": 96}[row.language]
			result := execute(t, mode, policy.Request{Language: row.language, Code: row.code[:policy.MaxCodeBytes-100], Input: in, Limits: policy.LimitsRequest{MaxMemoryMB: &least}})
			assert.Equal(t, fmt.Sprintf("%d %d 64 64\n", share, share/policy.MaxInputFiles*policy.MaxInputFiles), result.Stdout, "%s %+v", result.Stderr, result.Termination)
		})
	}
}

func TestACheckLaysNothingOutAndRefusesInputAsARunDoes(t *testing.T) {
	checked, err := shared.CheckProgram(t.Context(), policy.Request{Language: "python", Code: "import workdir", Input: whatTheyWereGiven})
	require.NoError(t, err)
	assert.True(t, checked.WouldRun)
	_, err = shared.CheckProgram(t.Context(), policy.Request{Language: "python", Code: "1", Input: policy.Input{Files: []policy.InputFile{{Path: "../x"}}}})
	var e *policy.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "files[0].path", e.Field)
}
