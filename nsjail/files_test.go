package nsjail_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// paths are the names of what came back, with its content in brief, and of what did
// not, with the reason.
func paths(r *policy.Result) (files, skipped map[string]string) {
	files, skipped = make(map[string]string), make(map[string]string)
	for _, f := range r.Files {
		files[f.Path] = brief(f.Text + string(f.Content))
	}
	for _, s := range r.FilesSkipped {
		skipped[s.Path] = s.Reason
	}
	return files, skipped
}

// Reasons, as far as the tests tell them apart.
const (
	aLink      = "symbolic link"
	hardLinks  = "hard links"
	noFile     = "no regular file"
	unreadable = "others may not read it"
	closed     = "others may not look into"
	tooDeep    = "from 7 directories deep at most"
	badName    = "no text of one line"
	tooLarge   = "larger than 2097152"
	tooMuch    = "larger than 4194304 bytes together"
	tooMany    = "more than 64 files"
)

// TestFilesThatComeBack is what a program leaves, and what its caller gets of it.
func TestFilesThatComeBack(t *testing.T) {
	const py = "import os\ndef put(p, b=b'x'):\n  with open(p, 'wb') as f: f.write(b)\n"
	for _, row := range []struct {
		name, language, code string
		collect              []string
		files                map[string]string // path to content
		skipped              map[string]string // path to a part of the reason
	}{
		{name: "nothing", code: "pass"},
		{name: "text and bytes", code: "put('a.txt', 'h\\u00e4\\n'.encode()); put('b', b'\\xff\\x00')", files: map[string]string{"a.txt": "hä\n", "b": "\xff\x00"}},
		{name: "an empty file", code: "put('a', b'')", files: map[string]string{"a": ""}},
		{name: "what lies in directories", code: "os.makedirs('out/of'); put('out/of/a'); put('out/b')", files: map[string]string{"out/of/a": "x", "out/b": "x"}},
		{name: "what globs ask for alone", code: "put('a.csv'); put('b.png'); os.mkdir('c'); put('c/d.png'); os.symlink('a.csv', 'l.txt')", collect: []string{"**/*.png"},
			files: map[string]string{"b.png": "x", "c/d.png": "x"}},
		{name: "nothing where nothing is asked for", code: "put('a')", collect: []string{}},
		{name: "what JavaScript writes", language: "js", code: "const fs = require('fs'); fs.mkdirSync('d'); fs.writeFileSync('d/a', 'x')", files: map[string]string{"d/a": "x"}},
		{name: "what was there when the program failed", code: "put('a'); 1 / 0", files: map[string]string{"a": "x"}},
		{name: "or crashed", code: "put('a'); os.abort()", files: map[string]string{"a": "x"}},

		{name: "a link to a file of the image", code: "os.symlink('/etc/passwd', 'a')", skipped: map[string]string{"a": aLink}},
		{name: "a link to the root", code: "os.symlink('/', 'a')", skipped: map[string]string{"a": aLink}},
		{name: "a link into /proc", code: "os.symlink('/proc/self/environ', 'a'); os.symlink('/proc/1/root', 'b')", skipped: map[string]string{"a": aLink, "b": aLink}},
		{name: "a link to a file of its own", code: "put('b'); os.symlink('b', 'a')", files: map[string]string{"b": "x"}, skipped: map[string]string{"a": aLink}},
		{name: "a link in the middle of a path", code: "os.mkdir('b'); put('b/c'); os.symlink('b', 'a')", files: map[string]string{"b/c": "x"}, skipped: map[string]string{"a": aLink}},
		{name: "links that go round", code: "os.mkdir('d'); os.symlink('..', 'd/up'); os.symlink('self', 'self')", skipped: map[string]string{"d/up": aLink, "self": aLink}},
		{name: "two names of one file", code: "put('a'); os.link('a', 'b')", skipped: map[string]string{"a": hardLinks, "b": hardLinks}},
		{name: "a file whose other name is gone", code: "put('a'); os.link('a', 'b'); os.unlink('b')", files: map[string]string{"a": "x"}},
		{name: "a file that is gone but open", code: "f = open('a', 'w'); f.write('x'); os.unlink('a'); globals()['keep'] = f"},

		{name: "a file that keeps others out", code: "put('a'); os.chmod('a', 0o600)", skipped: map[string]string{"a": unreadable}},
		{name: "and is opened to them as the reason says", code: "put('a'); os.chmod('a', 0o600); os.chmod('a', 0o644)", files: map[string]string{"a": "x"}},
		{name: "a directory that keeps others out", code: "os.mkdir('d'); put('d/a'); os.chmod('d', 0o700)", skipped: map[string]string{"d": closed}},
		{name: "one that can be listed and not searched", code: "os.mkdir('d'); put('d/a'); os.chmod('d', 0o744)", skipped: map[string]string{"d/a": unreadable}},
		{name: "the working directory itself", code: "put('a'); os.chmod('.', 0o700)", skipped: map[string]string{"": "may not look into the working directory"}},
		{name: "which hides no file that is named, while it may be searched", code: "put('a'); os.chmod('.', 0o711)", collect: []string{"a"}, files: map[string]string{"a": "x"}, skipped: map[string]string{"": "may not look into the working directory"}},
		{name: "a set-uid program is bytes", code: "put('a'); os.chmod('a', 0o6755)", files: map[string]string{"a": "x"}},

		{name: "directories as deep as is allowed", code: "os.makedirs('1/2/3/4/5/6/7'); put('1/2/3/4/5/6/7/a')", files: map[string]string{"1/2/3/4/5/6/7/a": "x"}},
		{name: "and deeper, with a glob that matches none", code: "os.makedirs('1/2/3/4/5/6/7/8'); put('1/2/3/4/5/6/7/8/a')", collect: []string{"z"}, skipped: map[string]string{"1/2/3/4/5/6/7/8": tooDeep}},
		{name: "two hundred deep", code: "p = '/'.join(['d'] * 200); os.makedirs(p); put('a')", files: map[string]string{"a": "x"}, skipped: map[string]string{"d/d/d/d/d/d/d/d": tooDeep}},

		{name: "names that are no text", code: "[put(n) for n in (b'\\xff\\xfe', b'a\\nb', b'\\x1b[2J', b'c\\x7f', '\\u202egnp'.encode(), '\\u2028'.encode())]",
			skipped: map[string]string{`\xff\xfe`: badName, `a\nb`: badName, `\x1b[2J`: badName, `c\x7f`: badName, `\u202egnp`: badName, `\u2028`: badName}},
		{name: "names that look like ways out", code: "[put(n) for n in ('...', '..a', 'a..', '-rf', ' ', 'C:\\\\x', '~', '*', '[')]",
			files: map[string]string{"...": "x", "..a": "x", "a..": "x", "-rf": "x", " ": "x", `C:\x`: "x", "~": "x", "*": "x", "[": "x"}},
		{name: "names that clash on other systems", code: "[put(n) for n in ('a', 'A', 'e\\u0301', '\\u00e9')]", files: map[string]string{"a": "x", "A": "x", "e\u0301": "x", "é": "x"}},
		{name: "names like frames of the protocol", code: "[put(n) for n in (b'\\x15', b'\\x12\\x01', b'END')]", files: map[string]string{"END": "x"}, skipped: map[string]string{`\x15`: badName, `\x12\x01`: badName}},
		{name: "the longest name", code: "put('n' * 255)", files: map[string]string{strings.Repeat("n", 255): "x"}},
		{name: "the longest path", code: "p = '/'.join(['d' * 255] * 7)\nh = os.open('.', os.O_RDONLY)\nfor part in p.split('/'): os.mkdir(part); os.chdir(part)\nput('a')",
			skipped: map[string]string{strings.Repeat(strings.Repeat("d", 255)+"/", 4)[:1000] + "...": "longer than 1000"}},

		{name: "content like frames of the protocol", code: "put('a', b'\\x15' + bytes(15)); put('b', b'\\x15' + bytes(15))", files: map[string]string{"a": "\x15" + strings.Repeat("\x00", 15), "b": "\x15" + strings.Repeat("\x00", 15)}},
		{name: "a file that is larger than any may be", code: "put('a', bytes((2 << 20) + 1)); put('b')", files: map[string]string{"b": "x"}, skipped: map[string]string{"a": tooLarge}},
		{name: "the largest hole that the limits allow", code: "os.truncate(os.open('a', os.O_CREAT | os.O_WRONLY), 60 << 20)", skipped: map[string]string{"a": tooLarge}},
		{name: "as much as all may be together", code: "put('a', bytes(2 << 20)); put('b', bytes(2 << 20))", files: map[string]string{"a": strings.Repeat("\x00", 2<<20), "b": strings.Repeat("\x00", 2<<20)}},
		{name: "and more", code: "put('a', bytes(2 << 20)); put('b', bytes(2 << 20)); put('c')", files: map[string]string{"a": strings.Repeat("\x00", 2<<20), "b": strings.Repeat("\x00", 2<<20)}, skipped: map[string]string{"c": tooMuch}},
	} {
		inModes(t, row.name, func(t *testing.T, mode string) {
			req := policy.Request{Language: "py", Level: relaxed, Code: py + row.code, Collect: row.collect}
			if row.language != "" {
				req.Language, req.Code = row.language, row.code
			}
			result := execute(t, mode, req)
			files, skipped := paths(result)
			want := map[string]string{}
			for path, content := range row.files {
				want[path] = brief(content)
			}
			assert.Equal(t, want, files, "%+v %s", result.Termination, result.Stderr)
			for path, reason := range row.skipped {
				assert.Contains(t, skipped[path], reason, "%q of %q", path, skipped)
			}
			assert.Len(t, skipped, len(row.skipped), "%q", skipped)
			for _, f := range result.Files {
				content := f.Text + string(f.Content)
				sum := sha256.Sum256([]byte(content))
				assert.Equal(t, hex.EncodeToString(sum[:]), f.SHA256)
				assert.Equal(t, int64(len(content)), f.Size)
				assert.True(t, f.Text == "" || f.Content == nil)
			}
		})
	}
}

// TestFilesThatAreAsTheyWereStay: what the caller has sent he has.
func TestFilesThatAreAsTheyWereStay(t *testing.T) {
	for _, row := range []struct {
		name, code string
		files      map[string]string
	}{
		{"rewritten with the same bytes", "put('in', 'abc'); put('empty', '')", map[string]string{}},
		{"changed", "put('in', 'abd'); put('empty', 'x')", map[string]string{"in": "abd", "empty": "x"}},
		{"longer", "put('in', 'abcd'); put('empty', '')", map[string]string{"in": "abcd"}},
		{"the same bytes by another name", "put('in', 'abc'); put('empty', ''); put('other', 'abc')", map[string]string{"other": "abc"}},
	} {
		inModes(t, row.name, func(t *testing.T, mode string) {
			result := execute(t, mode, policy.Request{
				Language: "py", Level: relaxed, Code: "def put(p, text):\n  with open(p, 'w') as f: f.write(text)\n" + row.code,
				Input: policy.Input{Files: []policy.InputFile{{Path: "in", Content: []byte("abc")}, {Path: "empty"}}},
			})
			files, skipped := paths(result)
			assert.Equal(t, row.files, files, result.Stderr)
			assert.Empty(t, skipped)
		})
	}
}

func TestFilesAreBoundedInNumber(t *testing.T) {
	for _, row := range []struct {
		name, code    string
		files         int
		skipped, more string // reason of each; of the last
	}{
		{"more files than are brought back", "for i in range(100): open(f'{i:03}', 'w').close()", 64, tooMany, ""},
		{"more than are told of", "for i in range(200): open(f'{i:03}', 'w').close()", 64, tooMany, "72 more are not brought back"},
		{"more than anybody looks at", "for i in range(3000): os.symlink('x', f'{i}')", 0, aLink, "only the first 1000 entries"},
		{"more directories than anybody goes into", "for i in range(3000): os.mkdir(f'{i}')", 0, "", "only the first 1000 entries"},
	} {
		inModes(t, row.name, func(t *testing.T, mode string) {
			result := execute(t, mode, policy.Request{Language: "py", Level: relaxed, Code: "import os\n" + row.code})
			require.Equal(t, policy.Succeeded, result.Status, "%+v %s", result.Termination, result.Stderr)
			assert.Len(t, result.Files, row.files)
			require.NotEmpty(t, result.FilesSkipped)
			assert.LessOrEqual(t, len(result.FilesSkipped), policy.MaxSkippedFiles+2)
			first, last := result.FilesSkipped[0], result.FilesSkipped[len(result.FilesSkipped)-1]
			if row.skipped != "" {
				assert.Contains(t, first.Reason, row.skipped)
			}
			if row.more != "" {
				assert.Contains(t, last.Reason, row.more)
				assert.Empty(t, last.Path)
			}
		})
	}
}

// TestANamedFileIsFoundWhateverElseLiesThere: a program that makes more files than are
// looked at, before and after the one that its caller asked for, hides it from no one.
func TestANamedFileIsFoundWhateverElseLiesThere(t *testing.T) {
	const py = `import os
def put(p, b=b'x'):
  with open(p, 'wb') as f: f.write(b)
def litter(where):
  for i in range(1001): put(where + str(i), b'')
litter('0')
%s
litter('z')
`
	const js = `const fs = require('fs');
function litter(where) { for (let i = 0; i < 1001; i++) fs.writeFileSync(where + i, ''); }
litter('0');
%s
litter('z');
`
	for _, row := range []struct {
		name, language, code string
		collect              []string
		files                map[string]string // path to content
		skipped              map[string]string // path to a part of the reason
	}{
		{name: "in Python", code: "put('a.json')", collect: []string{"a.json"}, files: map[string]string{"a.json": "x"}},
		{name: "in JavaScript", language: "js", code: "fs.writeFileSync('a.json', 'x');", collect: []string{"a.json"}, files: map[string]string{"a.json": "x"}},
		{name: "in a directory", code: "os.mkdir('out'); put('out/a')", collect: []string{"out/a"}, files: map[string]string{"out/a": "x"}},
		{name: "in a directory, in JavaScript", language: "js", code: "fs.mkdirSync('out'); fs.writeFileSync('out/a', 'x');", collect: []string{"out/a"}, files: map[string]string{"out/a": "x"}},
		{name: "in a directory that may be searched and not listed", code: "os.mkdir('d'); put('d/a'); os.chmod('d', 0o711)", collect: []string{"d/a"}, files: map[string]string{"d/a": "x"}},
		{name: "by a name with escaped wildcards", code: "put('[*?]')", collect: []string{`\[\*\?]`}, files: map[string]string{"[*?]": "x"}},
		{name: "twice by two spellings", code: "put('a')", collect: []string{"a", `\a`}, files: map[string]string{"a": "x"}},
		{name: "beside one that is not there", code: "put('a')", collect: []string{"b", "a", "a/b"}, files: map[string]string{"a": "x"}},
		{name: "which it was given and has left alone", code: "", collect: []string{"in"}},
		{name: "which it was given and has changed", code: "put('in', b'y')", collect: []string{"in"}, files: map[string]string{"in": "y"}},

		{name: "but not through a link to a file of the image", code: "os.symlink('/etc/passwd', 'a')", collect: []string{"a"}, skipped: map[string]string{"a": aLink}},
		{name: "nor, in JavaScript, through one to the root", language: "js", code: "fs.symlinkSync('/', 'a');", collect: []string{"a", "a/etc/passwd"}, skipped: map[string]string{"a": aLink, "a/etc/passwd": aLink}},
		{name: "nor through one to a file of its own", code: "put('b'); os.symlink('b', 'a')", collect: []string{"a"}, skipped: map[string]string{"a": aLink}},
		{name: "nor through one in the middle of a path", code: "os.mkdir('b'); put('b/c'); os.symlink('b', 'a')", collect: []string{"a/c"}, skipped: map[string]string{"a/c": aLink}},
		{name: "nor through one into /proc", code: "os.symlink('/proc/self', 'a')", collect: []string{"a/environ"}, skipped: map[string]string{"a/environ": aLink}},
		{name: "nor one with a second name", code: "put('a'); os.link('a', 'b')", collect: []string{"a"}, skipped: map[string]string{"a": hardLinks}},
		{name: "nor a directory", code: "os.mkdir('a')", collect: []string{"a"}, skipped: map[string]string{"a": noFile}},
		{name: "nor a hole", code: "os.truncate(os.open('a', os.O_CREAT | os.O_WRONLY), 60 << 20)", collect: []string{"a"}, skipped: map[string]string{"a": tooLarge}},
		{name: "nor, in JavaScript, a hole", language: "js", code: "fs.writeFileSync('a', ''); fs.truncateSync('a', 60 << 20);", collect: []string{"a"}, skipped: map[string]string{"a": tooLarge}},
		{name: "nor one that keeps others out", code: "put('a'); os.chmod('a', 0o600)", collect: []string{"a"}, skipped: map[string]string{"a": unreadable}},
		{name: "nor one whose name misleads", code: "put('\u202egnp')", collect: []string{"\u202egnp"}, skipped: map[string]string{`\u202egnp`: badName}},
	} {
		inModes(t, row.name, func(t *testing.T, mode string) {
			req := policy.Request{
				Language: "py", Level: relaxed, Code: fmt.Sprintf(py, row.code), Collect: row.collect,
				Input: policy.Input{Files: []policy.InputFile{{Path: "in", Content: []byte("x")}}},
			}
			if row.language != "" {
				req.Language, req.Code = row.language, fmt.Sprintf(js, row.code)
			}
			result := execute(t, mode, req)
			require.Equal(t, policy.Succeeded, result.Status, "%+v %s", result.Termination, result.Stderr)
			files, skipped := paths(result)
			if row.files == nil {
				row.files = map[string]string{}
			}
			assert.Equal(t, row.files, files)
			assert.Contains(t, skipped[""], "only the first 1000 entries")
			delete(skipped, "")
			delete(skipped, "d") // a directory that was met and not looked into
			for path, reason := range row.skipped {
				assert.Contains(t, skipped[path], reason, "%q of %q", path, skipped)
			}
			assert.Len(t, skipped, len(row.skipped), "%q", skipped)
		})
	}
}

// TestANamedFileComesBeforeThoseThatOnlyMatch, and what comes back is in order.
func TestANamedFileComesBeforeThoseThatOnlyMatch(t *testing.T) {
	inModes(t, "", func(t *testing.T, mode string) {
		result := execute(t, mode, policy.Request{
			Language: "py", Level: relaxed, Collect: []string{"*", "named"},
			Code: "for i in range(100): open(f'{i:03}', 'w').close()\nopen('named', 'w').close()",
		})
		require.Len(t, result.Files, policy.MaxOutputFiles, result.Stderr)
		assert.Equal(t, "000", result.Files[0].Path)
		assert.Equal(t, "named", result.Files[policy.MaxOutputFiles-1].Path)
	})
}

// TestVerdictsDoNotDependOnFiles: no more is told of a run that leaves any but the
// files, and of one that did not end by itself not those.
func TestVerdictsDoNotDependOnFiles(t *testing.T) {
	second := policy.LimitsRequest{TimeoutMS: ptr(int64(1000))}
	for _, row := range []struct {
		name, code string
		limits     policy.LimitsRequest
		reason     policy.Reason
		files      int
	}{
		{"completed", "pass", policy.LimitsRequest{}, policy.ReasonCompleted, 1},
		{"an exception", "1 / 0", policy.LimitsRequest{}, policy.ReasonException, 1},
		{"an exit status", "raise SystemExit(3)", policy.LimitsRequest{}, policy.ReasonExitNonzero, 1},
		{"a signal of its own", "import os; os.kill(os.getpid(), 9)", policy.LimitsRequest{}, policy.ReasonSignal, 1},
		{"time", "while True: pass", second, policy.ReasonWallTimeout, 0},
		{"memory", "x = []\nwhile True: x.append(bytearray(1 << 20))", policy.LimitsRequest{MaxMemoryMB: ptr(int64(64))}, policy.ReasonMemoryLimit, 0},
		{"disk", "while True: f.write('x' * (1 << 20))", policy.LimitsRequest{}, policy.ReasonDiskLimit, 0},
		{"output", "while True: print('x' * (1 << 20))", policy.LimitsRequest{TimeoutMS: ptr(int64(30000))}, policy.ReasonOutputLimit, 0},
		{"refused calls", "import socket\nwhile True:\n  try: socket.socket()\n  except OSError: pass", policy.LimitsRequest{}, policy.ReasonSyscallDenied, 0},
	} {
		inModes(t, row.name, func(t *testing.T, mode string) {
			code := "f = open('a', 'w'); f.write('x'); f.flush()\n" + row.code
			with := execute(t, mode, policy.Request{Language: "py", Level: relaxed, Code: code, Limits: row.limits})
			assert.Equal(t, row.reason, with.Termination.Reason, with.Stderr)
			assert.Len(t, with.Files, row.files)
			assert.Empty(t, with.FilesSkipped)
			without := execute(t, mode, policy.Request{Language: "py", Level: relaxed, Code: code, Limits: row.limits, Collect: []string{}})
			assert.Equal(t, without.Termination.Reason, with.Termination.Reason)
			assert.Equal(t, without.ExitCode, with.ExitCode)
			assert.Equal(t, without.Status, with.Status)
			assert.Empty(t, without.Files)
		})
	}
}
