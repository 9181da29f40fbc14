package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"safe-exec/policy"
)

// maxInput is what stdin, arguments, environment and files may come to, in
// bytes. It is here so that a huge file is refused before it has been read;
// policy.Resolve decides.
const maxInput = 2 << 20

// inputs are the flags for what a program gets beside its text, and for what
// comes back.
type inputs struct {
	stdin, out             string
	args, env, files, glob []string
	force                  bool
	shown                  bool // what is printed has the files
}

// unread says that a program got nothing of what was piped to the command. Passing
// it on unasked would wait for the end of a pipe that nobody closes.
func (f *runFlags) unread(std stdio) {
	in, ok := std.in.(*os.File)
	if program := f.Arg(0); !ok || f.stdin != "" || program == "" || program == "-" {
		return
	}
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeNamedPipe {
		return
	}
	if n, err := unix.IoctlGetInt(int(in.Fd()), unix.TIOCINQ); err == nil && n > 0 {
		fmt.Fprintln(std.err, "safe-exec: what came on standard input was not given to the program")
		std.hint("--stdin - gives it")
	}
}

func (f *flags) inputs() *inputs {
	in := &inputs{}
	f.StringVar(&in.stdin, "stdin", "", "the program's standard input: `FILE`, or - for this command's own")
	f.StringArrayVar(&in.args, "arg", nil, "an argument `A` for the program; may be repeated")
	f.StringArrayVar(&in.env, "env", nil, "a variable `NAME=VALUE` for the program; may be repeated")
	f.StringArrayVar(&in.files, "file", nil, "a file for its working directory: `[NAME=]PATH`; may be repeated")
	f.StringArrayVar(&in.glob, "collect", nil, "bring back only files that match `GLOB`, such as *.png; may be repeated")
	f.StringVar(&in.out, "out", "", "write the files that come back into `DIR`")
	f.BoolVar(&in.force, "force", false, "with --out: write over files that are there")
	return in
}

// read puts the flags into a request. Files come back also without --out: who
// did not think of it is told their names.
func (in *inputs) read(req *policy.Request, stdin io.Reader) error {
	left := int64(maxInput)
	switch in.stdin {
	case "":
	case "-":
		text, err := readInput("stdin", stdin, &left)
		if err != nil {
			return err
		}
		req.Input.Stdin = string(text)
	default:
		text, err := readInputFile(in.stdin, &left)
		if err != nil {
			return err
		}
		req.Input.Stdin = string(text)
	}
	req.Input.Args = in.args
	for _, one := range in.env {
		name, value, ok := strings.Cut(one, "=")
		if !ok {
			return fmt.Errorf("--env %s: want NAME=VALUE", one)
		}
		if req.Input.Env == nil {
			req.Input.Env = map[string]string{}
		}
		req.Input.Env[name] = value
	}
	for _, one := range in.files {
		name, path, ok := strings.Cut(one, "=")
		if !ok {
			name, path = filepath.Base(one), one
		}
		content, err := readInputFile(path, &left)
		if err != nil {
			return err
		}
		req.Input.Files = append(req.Input.Files, policy.InputFile{Path: name, Content: content})
	}
	req.Collect = in.glob
	return nil
}

func readInputFile(path string, left *int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readInput(path, file, left)
}

// readInput reads no more than a request may bring along, and takes it from left.
func readInput(name string, in io.Reader, left *int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(in, *left+1))
	if err != nil {
		return nil, err
	}
	if *left -= int64(len(content)); *left < 0 {
		return nil, fmt.Errorf("%s: stdin and files come to more than %d bytes, the maximum of a request", name, maxInput)
	}
	return content, nil
}
