// Command safe-exec runs Python and JavaScript that nobody trusts, and says
// what became of it. See the README; `safe-exec help` lists the commands.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Exit statuses of every command. run adds meaning to 1 and 3.
const (
	exitOK      = 0
	exitFailed  = 1   // run: the program failed; others: the answer is no
	exitUsage   = 2   // the command line is wrong, or asks for what this caller may not have
	exitLimited = 3   // run: a limit or the policy ended it
	exitWaiting = 124 // jobs wait: not finished in time, as timeout(1) has it
	exitOurs    = 125 // safe-exec itself failed
)

// wrongUsage is what help says of exitUsage where a daemon may refuse the caller.
const wrongUsage = "2 wrong usage, or not allowed to this caller"

// ourFailure is what help says of exitOurs where a daemon may say 429.
const ourFailure = "125 safe-exec failed or has no room for this caller now (it says when to try again)"

// version is the module's version in the build information: the tag of the commit
// that was built (v0.1.0), a pseudo-version between two tags, or "devel" where the
// build saw no repository.
var version = moduleVersion()

func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

type command struct {
	name, summary string
	run           func(args []string, std stdio) int
}

// stdio is what a command may touch of its terminal.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// complain prints an error as every command does: one lower-case line.
// What a caller typed may be in it, and no terminal must obey that.
func (s stdio) complain(err error) {
	fmt.Fprintf(s.err, "safe-exec: %s\n", oneLine(strings.ReplaceAll(err.Error(), "\n", "; ")))
}

// hint says what to do about it, on a line of its own.
func (s stdio) hint(text string) { fmt.Fprintf(s.err, "hint: %s\n", oneLine(text)) }

func commands() []command {
	return []command{
		{"serve", "run the daemon on a Unix socket", serve},
		{"run", "run one program and print its output", run},
		{"jobs", "list, get, wait for, cancel and follow jobs", manageJobs},
		{"policy", "say what programs may import and do", showPolicy},
		{"token", "make a bearer token for a caller over TCP", token},
		{"doctor", "say for every layer whether this host has it", doctor},
		{"escape", "try to get out of a jail, by every known technique, and report", escapeBattery},
		{"jail", "run a static program in place of the interpreter (root only)", jail},
		{"audit", "say whether the audit ledger holds together, or show it", audit},
		{"bench", "compare with the bare interpreters on this machine", bench},
		{"version", "say which version this is", showVersion},
	}
}

func main() { os.Exit(dispatch(os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr})) }

func dispatch(args []string, std stdio) int {
	if len(args) == 0 {
		usage(std.err)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "--help":
		if len(args) > 1 {
			return helpOf(args[1:], std)
		}
		usage(std.out)
		return exitOK
	case "-version", "--version":
		return showVersion(args[1:], std)
	}
	if args[0] == brokerName { // for serve to start; nobody else has a use for it
		return brokerMain(args[1:], std)
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(args[1:], std)
		}
	}
	return unknownCommand(args[0], std)
}

// helpOf is the help of a command, or of one of its own commands.
func helpOf(words []string, std stdio) int {
	for _, c := range commands() {
		if c.name == words[0] {
			return c.run(append(slices.Clone(words[1:]), "--help"), std)
		}
	}
	return unknownCommand(words[0], std)
}

func unknownCommand(name string, std stdio) int {
	std.complain(fmt.Errorf("unknown command %q", name))
	std.hint("safe-exec help lists the commands")
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: safe-exec COMMAND [FLAGS]")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-8s %s\n", c.name, c.summary)
	}
	fmt.Fprintln(w, "safe-exec COMMAND --help lists a command's flags")
}

func showVersion(args []string, std stdio) int {
	fs := newFlags("version", "", "exit status: 0 done, 2 wrong usage")
	if status, done := fs.parse(args, 0, std); done {
		return status
	}
	fmt.Fprintf(std.out, "safe-exec %s%s, %s %s/%s\n", version, commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK
}

// commit names the commit that was built, where the build saw a repository.
func commit() (text string) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, s := range info.Settings { // vcs.revision comes before vcs.modified
		switch {
		case s.Key == "vcs.revision":
			text = ", commit " + s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			text += " with changes"
		}
	}
	return text
}
