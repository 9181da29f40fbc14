package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// flags are one command's. What it says is the same for every command: help
// that was asked for goes to stdout, a wrong flag is one line and where to find
// help.
type flags struct {
	*flag.FlagSet
	synopsis string // what stands behind the command's name
	notes    string // printed below the flags
}

func newFlags(name, synopsis, notes string) *flags {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // parse and usage do the talking
	return &flags{fs, synopsis, notes}
}

// parse takes the command line, with at most args arguments behind the flags.
// If done, the command ends with status.
func (f *flags) parse(line []string, args int, std stdio) (status int, done bool) {
	err := f.Parse(line)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.usage(std.out)
		return exitOK, true
	case err == nil && f.NArg() > args:
		err = fmt.Errorf("%s: unexpected argument %q", f.Name(), f.Arg(args))
		if args > 0 && len(f.Arg(args)) > 1 && f.Arg(args)[0] == '-' {
			err = fmt.Errorf("%s: flags come before the file: %s", f.Name(), f.Arg(args))
		}
	case err != nil:
		err = fmt.Errorf("%s: %w", f.Name(), err)
	}
	if err != nil {
		std.complain(err)
		std.hint("safe-exec " + f.Name() + " --help lists the flags")
		return exitUsage, true
	}
	return exitOK, false
}

func (f *flags) usage(w io.Writer) {
	fmt.Fprintf(w, "usage: safe-exec %s [FLAGS]", f.Name())
	if f.synopsis != "" {
		fmt.Fprint(w, " ", f.synopsis)
	}
	fmt.Fprintln(w)
	f.VisitAll(func(one *flag.Flag) {
		value, text := flag.UnquoteUsage(one)
		fmt.Fprintf(w, "  --%-22s %s\n", one.Name+" "+value, text)
	})
	if f.notes != "" {
		fmt.Fprintln(w, f.notes)
	}
}

// duration is a flag whose error says what it wants.
func (f *flags) duration(name, usage string, into *time.Duration) {
	f.Func(name, usage, func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil {
			return errors.New("want a duration with its unit, such as 3s or 500ms")
		}
		*into = d
		return nil
	})
}

// given says whether the flag was on the command line, which an explicit zero
// is too.
func (f *flags) given(name string) (found bool) {
	f.Visit(func(one *flag.Flag) { found = found || one.Name == name })
	return found
}
