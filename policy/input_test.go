package policy

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// room is a working directory as a profile gives one.
var room = Limits{MaxDiskBytes: 64 << 20, MaxFiles: 4096}

func files(paths ...string) Input {
	var in Input
	for _, path := range paths {
		in.Files = append(in.Files, InputFile{Path: path, Content: []byte("x")})
	}
	return in
}

func TestInputThatIsTaken(t *testing.T) {
	for _, row := range []struct {
		name    string
		in      Input
		collect []string
	}{
		{"nothing at all", Input{}, nil},
		{"an empty list of what comes back", Input{}, []string{}},
		{"text on the input, with any bytes", Input{Stdin: "a\x00\xff"}, nil},
		{"arguments, an empty one among them", Input{Args: []string{"", "-v", "é"}}, nil},
		{"variables", Input{Env: map[string]string{"API_URL": "http://x", "_x9": "", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg", "http_proxy": "x", "LDAP": "x", "TZONE": "x"}}, nil},
		{"a file that is not text", Input{Files: []InputFile{{"a.bin", []byte{0, 0xff}}}}, nil},
		{"an empty file", Input{Files: []InputFile{{Path: "empty"}}}, nil},
		{"files side by side and below each other", files("a.csv", "dir/a.csv", "dir/sub/a.csv", "dir/b.csv"), nil},
		{"names with spaces, dots in them and other marks", files("my data (1).csv", ".hidden", "..a", "a..", "...", "-rf", "~", "*?[x]"), nil},
		{"a path of the greatest depth", files("1/2/3/4/5/6/7/8"), nil},
		{"names of the greatest length", files(strings.Repeat("a", 99) + "/" + strings.Repeat("b", 100)), nil},
		{"as many files as may be", files(numbered(MaxInputFiles)...), nil},
		{"patterns", Input{}, []string{"*.png", "**/*.csv", "out/**", "**", "[a-c]?.txt", `\*`, "données/*.png"}},
		{"as many bytes as may be", Input{Stdin: strings.Repeat("x", MaxInputBytes-3), Args: []string{"a"}, Env: map[string]string{"A": "b"}}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.NoError(t, CheckInput(row.in, row.collect, room))
			spec, err := Resolve(Request{Code: "x", Input: row.in, Collect: row.collect}, withRoom())
			require.NoError(t, err)
			assert.Equal(t, row.in, spec.Input)
			assert.Equal(t, row.collect, spec.Collect, "all files and no files are told apart by nil")
		})
	}
}

func withRoom() Profile {
	p := python
	p.Fixed = room
	return p
}

func numbered(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprint("file", i))
	}
	return names
}

func TestInputThatIsRefusedNamesItsField(t *testing.T) {
	env := func(name string) Input { return Input{Env: map[string]string{name: "x"}} }
	for _, row := range []struct {
		name    string
		in      Input
		collect []string
		field   string
		code    Code
		words   string
	}{
		{"a file without a path", files("a", ""), nil, "files[1].path", CodeInvalid, "missing or empty"},
		{"a path from the root", files("/etc/passwd"), nil, "files[0].path", CodeInvalid, "relative"},
		{"a path with two slashes", files("a//b"), nil, "files[0].path", CodeInvalid, "single slashes"},
		{"a path that ends in a slash", files("a/"), nil, "files[0].path", CodeInvalid, "single slashes"},
		{"a path up", files("../a"), nil, "files[0].path", CodeInvalid, "no component . or .."},
		{"a path up in the middle", files("a/../../b"), nil, "files[0].path", CodeInvalid, "no component . or .."},
		{"the directory itself", files("."), nil, "files[0].path", CodeInvalid, "no component . or .."},
		{"a path with a dot between", files("a/./b"), nil, "files[0].path", CodeInvalid, "no component . or .."},
		{"a backslash", files(`a\b`), nil, "files[0].path", CodeInvalid, "no backslash"},
		{"a NUL", files("a\x00b"), nil, "files[0].path", CodeInvalid, "printable ASCII"},
		{"a line feed", files("a\nb"), nil, "files[0].path", CodeInvalid, "printable ASCII"},
		{"a letter with two forms", files("é"), nil, "files[0].path", CodeInvalid, "printable ASCII"},
		{"bytes that are no text", files("\xff"), nil, "files[0].path", CodeInvalid, "printable ASCII"},
		{"a long name", files(strings.Repeat("a", 101)), nil, "files[0].path", CodeTooLarge, "the maximum is 100"},
		{"a long path", files(strings.Repeat("aaaa/", 40) + "a"), nil, "files[0].path", CodeTooLarge, "the maximum is 200"},
		{"a deep path", files("1/2/3/4/5/6/7/8/9"), nil, "files[0].path", CodeTooLarge, "the maximum is 8"},
		{"two files of one path", files("a", "b", "a"), nil, "files[2].path", CodeInvalid, `"a" is given twice`},
		{"two that differ by case", files("Data.csv", "data.CSV"), nil, "files[1].path", CodeInvalid, `differs from "Data.csv" by the case`},
		{"two directories that differ by case", files("A/x", "a/y"), nil, "files[1].path", CodeInvalid, `differs from "A" by the case`},
		{"a file and then a directory of its name", files("a", "a/b/c"), nil, "files[1].path", CodeInvalid, `"a" is a file, so nothing can lie below it`},
		{"a directory and then a file of its name", files("a/b/c", "a/b"), nil, "files[1].path", CodeInvalid, `"a/b" is a directory of an earlier path`},
		{"a file and a directory that differ by case", files("a/b", "A"), nil, "files[1].path", CodeInvalid, "by the case"},
		{"too many files", files(numbered(65)...), nil, "files", CodeTooLarge, "the maximum is 64"},
		{"too many arguments", Input{Args: make([]string, 65)}, nil, "args", CodeTooLarge, "the maximum is 64"},
		{"an argument with a NUL", Input{Args: []string{"a", "b\x00"}}, nil, "args[1]", CodeInvalid, "NUL"},
		{"an argument that is no text", Input{Args: []string{"\xff"}}, nil, "args[0]", CodeInvalid, "UTF-8"},
		{"a variable's value with a NUL", Input{Env: map[string]string{"A": "\x00"}}, nil, "env.A", CodeInvalid, "NUL"},
		{"a variable's value that is no text", Input{Env: map[string]string{"A": "\xff"}}, nil, "env.A", CodeInvalid, "UTF-8"},
		{"a variable without a name", env(""), nil, "env.", CodeInvalid, "letters, digits"},
		{"a variable that begins with a digit", env("1A"), nil, "env.1A", CodeInvalid, "letters, digits"},
		{"a variable with an equals sign", env("A=B"), nil, "env.A=B", CodeInvalid, "letters, digits"},
		{"a variable with a line feed at its end", env("A\n"), nil, "env.A?", CodeInvalid, "letters, digits"},
		{"a long name of a variable", env(strings.Repeat("A", 101)), nil, "env", CodeTooLarge, "the maximum is 100"},
		{"too many variables", tooManyVariables(), nil, "env", CodeTooLarge, "the maximum is 64"},
		{"the loader's code", env("LD_PRELOAD"), nil, "env.LD_PRELOAD", CodeInvalid, "loader"},
		{"Python's start-up", env("PYTHONSTARTUP"), nil, "env.PYTHONSTARTUP", CodeInvalid, "Python"},
		{"Python's build data, which are a module", env("_PYTHON_SYSCONFIGDATA_NAME"), nil, "env._PYTHON_SYSCONFIGDATA_NAME", CodeInvalid, "Python"},
		{"Node's options", env("NODE_OPTIONS"), nil, "env.NODE_OPTIONS", CodeInvalid, "Node"},
		{"libuv's threads", env("UV_THREADPOOL_SIZE"), nil, "env.UV_THREADPOOL_SIZE", CodeInvalid, "event loop"},
		{"OpenSSL's configuration", env("OPENSSL_CONF"), nil, "env.OPENSSL_CONF", CodeInvalid, "OpenSSL"},
		{"certificates", env("SSL_CERT_FILE"), nil, "env.SSL_CERT_FILE", CodeInvalid, "OpenSSL"},
		{"where keys are written", env("SSLKEYLOGFILE"), nil, "env.SSLKEYLOGFILE", CodeInvalid, "OpenSSL"},
		{"the allocator", env("MALLOC_CHECK_"), nil, "env.MALLOC_CHECK_", CodeInvalid, "allocator"},
		{"tunables", env("GLIBC_TUNABLES"), nil, "env.GLIBC_TUNABLES", CodeInvalid, "allocator"},
		{"character conversions", env("GCONV_PATH"), nil, "env.GCONV_PATH", CodeInvalid, "C library"},
		{"locales", env("LOCPATH"), nil, "env.LOCPATH", CodeInvalid, "C library"},
		{"message catalogues", env("NLSPATH"), nil, "env.NLSPATH", CodeInvalid, "C library"},
		{"the language", env("LC_ALL"), nil, "env.LC_ALL", CodeInvalid, "set for the jail"},
		{"the time zone", env("TZ"), nil, "env.TZ", CodeInvalid, "in part"},
		{"the home directory", env("HOME"), nil, "env.HOME", CodeInvalid, "set for the jail"},
		{"the search path", env("PATH"), nil, "env.PATH", CodeInvalid, "set for the jail"},
		{"a place for temporary files", env("TMPDIR"), nil, "env.TMPDIR", CodeInvalid, "set for the jail"},
		{"a shell's start-up", env("BASH_ENV"), nil, "env.BASH_ENV", CodeInvalid, "shell"},
		{"more bytes than may be, most of them input", Input{Stdin: strings.Repeat("x", MaxInputBytes), Args: []string{"a"}}, nil, "stdin", CodeTooLarge, "2097153 bytes together"},
		{"more bytes than may be, most of them in a file", Input{Stdin: "x", Files: []InputFile{{"a", nil}, {"b", make([]byte, MaxInputBytes)}}}, nil, "files[1]", CodeTooLarge, "files[1] is the largest"},
		{"more bytes than may be, most of them in an argument", Input{Args: []string{strings.Repeat("x", MaxInputBytes+1)}}, nil, "args[0]", CodeTooLarge, "args[0] is the largest"},
		{"more bytes than may be, most of them in a variable", Input{Env: map[string]string{"A": strings.Repeat("x", MaxInputBytes)}}, nil, "env.A", CodeTooLarge, "env.A is the largest"},
		{"too many patterns", Input{}, make([]string, 17), "collect", CodeTooLarge, "the maximum is 16"},
		{"an empty pattern", Input{}, []string{"*", ""}, "collect[1]", CodeInvalid, "empty"},
		{"a pattern from the root", Input{}, []string{"/tmp/*"}, "collect[0]", CodeInvalid, "relative"},
		{"a pattern up", Input{}, []string{"../*"}, "collect[0]", CodeInvalid, "no component"},
		{"a pattern up behind a backslash", Input{}, []string{`a/\../b`}, "collect[0]", CodeInvalid, "no component"},
		{"one to where it is, behind two", Input{}, []string{`\./b`}, "collect[0]", CodeInvalid, "no component"},
		{"a bracket that is not closed", Input{}, []string{"[a"}, "collect[0]", CodeInvalid, "not a pattern"},
		{"a bracket that is not closed, behind what does not match", Input{}, []string{"x*y[a"}, "collect[0]", CodeInvalid, "not a pattern"},
		{"a backslash at the end", Input{}, []string{`a\`}, "collect[0]", CodeInvalid, "not a pattern"},
		{"two stars beside letters", Input{}, []string{"a**/b"}, "collect[0]", CodeInvalid, "between slashes"},
		{"a pattern with a control character", Input{}, []string{"a\n"}, "collect[0]", CodeInvalid, "control"},
		{"a pattern that is no text", Input{}, []string{"\xff"}, "collect[0]", CodeInvalid, "UTF-8"},
		{"a long pattern", Input{}, []string{strings.Repeat("a/", 100) + "a"}, "collect[0]", CodeTooLarge, "the maximum is 200"},
		{"a deep pattern", Input{}, []string{"1/2/3/4/5/6/7/8/9"}, "collect[0]", CodeTooLarge, "the maximum is 8"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var e *Error
			require.ErrorAs(t, CheckInput(row.in, row.collect, room), &e)
			assert.Equal(t, row.field, e.Field)
			assert.Equal(t, row.code, e.Code)
			assert.Contains(t, e.Message, row.words)
			assert.Equal(t, row.code == CodeTooLarge, e.Maximum != nil)
			assert.Less(t, len(e.Message), 600)
			_, err := Resolve(Request{Code: "x", Input: row.in, Collect: row.collect}, withRoom())
			assert.Equal(t, e, err)
		})
	}
}

func tooManyVariables() Input {
	in := Input{Env: map[string]string{}}
	for _, name := range numbered(65) {
		in.Env[name] = ""
	}
	return in
}

func TestInputThatDoesNotFitTheRunsOwnDirectory(t *testing.T) {
	for _, row := range []struct {
		name  string
		in    Input
		l     Limits
		field string // "" fits
		words string
	}{
		{"files that just fit take whole pages", files("a", "b"), Limits{MaxDiskBytes: 8192, MaxFiles: 3}, "", ""},
		{"files that fit by bytes alone", files("a", "b"), Limits{MaxDiskBytes: 8191, MaxFiles: 3}, "files", "takes 8192 bytes of the working directory, which has 8191 (max_disk_bytes)"},
		{"the input is a file too", Input{Stdin: strings.Repeat("x", 4097)}, Limits{MaxDiskBytes: 8191, MaxFiles: 10}, "stdin", "max_disk_bytes"},
		{"the input takes an inode", Input{Stdin: "x"}, Limits{MaxDiskBytes: 8192, MaxFiles: 1}, "stdin", "max_files"},
		{"a file more than may be", files("a", "b", "c"), Limits{MaxDiskBytes: 1 << 20, MaxFiles: 3}, "files", "takes 4 files and directories, the working directory may have 3 (max_files)"},
		{"directories count, each once", files("d/e/a", "d/e/b"), Limits{MaxDiskBytes: 1 << 20, MaxFiles: 5}, "", ""},
		{"a directory more than may be", files("d/e/a", "d/f/b"), Limits{MaxDiskBytes: 1 << 20, MaxFiles: 5}, "files", "max_files"},
		{"nothing fits everywhere", Input{Args: []string{"a"}}, Limits{}, "", ""},
		{"empty files take no pages", Input{Files: []InputFile{{Path: "a"}}}, Limits{MaxFiles: 2}, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := CheckInput(row.in, nil, row.l)
			if row.field == "" {
				require.NoError(t, err)
				return
			}
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, CodeTooLarge, e.Code)
			assert.Equal(t, row.field, e.Field)
			assert.Contains(t, e.Message, row.words)
		})
	}
}

// FuzzInput holds what is accepted against the words of others for a safe path,
// and against a directory that is made of it, name by name.
func FuzzInput(f *testing.F) {
	for _, seed := range []string{"a\nb/c\nb/d", "../x", "a\na/b", "A/b\na/c", "/etc", "a//b", "a/./b", "é", "NODE_OPTIONS", "x\x00"} {
		f.Add(seed, "A", "**/*.csv")
	}
	f.Fuzz(func(t *testing.T, paths, name, glob string) {
		in := files(strings.Split(paths, "\n")...)
		in.Env = map[string]string{name: "x"}
		if CheckInput(in, []string{glob}, room) != nil {
			return
		}
		directories, plain := map[string]string{}, map[string]bool{}
		for _, file := range in.Files {
			require.True(t, fs.ValidPath(file.Path) && filepath.IsLocal(file.Path) && file.Path != ".", file.Path)
			require.Equal(t, filepath.Clean(file.Path), file.Path)
			require.Equal(t, strings.Map(visible, file.Path), file.Path)
			parts := strings.Split(strings.ToUpper(file.Path), "/")
			require.LessOrEqual(t, len(parts), 8)
			at := ""
			for i, part := range parts {
				require.LessOrEqual(t, len(part), 255)
				at += "/" + part
				if i == len(parts)-1 {
					break
				}
				require.False(t, plain[at], "a file is where %s has a directory", file.Path)
				written := file.Path[:len(at)-1]
				require.Contains(t, []string{"", written}, directories[at], "two directories of one name")
				directories[at] = written
			}
			require.False(t, plain[at] || directories[at] != "", "%s is taken", file.Path)
			plain[at] = true
		}
		for _, begin := range []string{"LD_", "PYTHON", "NODE_", "OPENSSL_", "MALLOC_", "GLIBC_", "UV_", "SSL", "LC_", "BASH"} {
			require.False(t, strings.HasPrefix(name, begin), name)
		}
		require.NotContains(t, name, "=")
		require.NotContains(t, name, "\x00")
		require.NotContains(t, strings.Split(glob, "/"), "..")
		require.False(t, filepath.IsAbs(glob))
		_, err := filepath.Match(glob, "x")
		require.NoError(t, err)
	})
}

func visible(r rune) rune {
	if r < 0x20 || r > 0x7e || r == '\\' {
		return -1
	}
	return r
}
