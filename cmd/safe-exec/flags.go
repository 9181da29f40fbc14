package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// flags are one command's. What it says is the same for every command: help
// that was asked for goes to stdout, a wrong flag is one line and where to find
// help.
type flags struct {
	*flag.FlagSet
	synopsis string // what stands behind the command's name
	rest     bool   // arguments beyond those that parse allows are the program's
	notes    string // printed below the flags
}

func newFlags(name, synopsis, notes string) *flags {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // parse and usage do the talking
	return &flags{FlagSet: fs, synopsis: synopsis, notes: notes}
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
		err = f.surplus(f.Args()[args:], args > 0)
	case err != nil:
		err = fmt.Errorf("%s: %s", f.Name(), plainly(err.Error()))
	}
	if err != nil {
		std.complain(err)
		std.hint("safe-exec " + f.Name() + " --help lists the flags")
		return exitUsage, true
	}
	return exitOK, false
}

// wrong complains of a flag's value, and gives the exit status.
func (f *flags) wrong(std stdio, format string, args ...any) int {
	std.complain(fmt.Errorf(f.Name()+": "+format, args...))
	std.hint("safe-exec " + f.Name() + " --help lists the flags")
	return exitUsage
}

// surplus says what is wrong with arguments for which a command has no use. What
// looks like a flag behind a program's file is taken for a slip, unless -- says
// that it is not.
func (f *flags) surplus(more []string, behind bool) error {
	if f.rest && more[0] == "--" {
		return nil
	}
	for i, one := range more {
		flag := len(one) > 1 && one[0] == '-'
		switch {
		case flag && f.rest && one == "--":
			return fmt.Errorf("%s: -- goes right behind the file: %s", f.Name(), f.asOwn(slices.Delete(slices.Clone(more), i, i+1), i))
		case flag && f.rest:
			return fmt.Errorf("%s: flags come before the file: %s (if it is the program's own, put -- behind the file: %s)", f.Name(), one, f.asOwn(more, i))
		case flag && behind:
			return fmt.Errorf("%s: flags come first: %s", f.Name(), one)
		case !f.rest:
			return fmt.Errorf("%s: unexpected argument %q", f.Name(), one)
		}
	}
	return nil
}

// asOwn is how to write a program's arguments up to number i and have them taken
// for its own.
func (f *flags) asOwn(args []string, i int) string {
	words := []string{f.Arg(0), "--"}
	if words = append(words, args[:min(i+1, len(args))]...); i+1 < len(args) {
		words = append(words, "...")
	}
	for i, word := range words {
		if strings.ContainsFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./=,:@%+", r)
		}) {
			words[i] = strconv.Quote(word)
		}
	}
	return strings.Join(words, " ")
}

// goSpeech is how package flag says things, and how we do.
var goSpeech = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`^flag provided but not defined: -+(.*)$`), "there is no flag --$1"},
	{regexp.MustCompile(`^flag needs an argument: -+(.*)$`), "--$1 wants a value"},
	{regexp.MustCompile(`^invalid boolean value (?s:.*) for -([^: ]+): .*$`), "--$1 takes no value"},
	{regexp.MustCompile(`^invalid value ((?s:.*)) for flag -([^: ]+): parse error$`), "--$2 $1: want a whole number"},
	{regexp.MustCompile(`^invalid value ((?s:.*)) for flag -([^: ]+): value out of range$`), "--$2 $1: the number is too large"},
	{regexp.MustCompile(`^invalid value ((?s:.*)) for flag -([^: ]+): `), "--$2 $1: "},
}

func plainly(text string) string {
	for _, one := range goSpeech {
		if one.from.MatchString(text) {
			return one.from.ReplaceAllString(text, one.to)
		}
	}
	return text
}

func (f *flags) usage(w io.Writer) {
	some := ""
	fmt.Fprint(w, "usage: safe-exec ", f.Name())
	f.VisitAll(func(*flag.Flag) { some = " [FLAGS]" })
	fmt.Fprint(w, some)
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

// wholeMilliseconds is --timeout as a limit has it, which has no part of one.
func wholeMilliseconds(timeout time.Duration) (*int64, error) {
	if timeout%time.Millisecond != 0 {
		return nil, fmt.Errorf("--timeout is %s, want whole milliseconds", timeout)
	}
	ms := timeout.Milliseconds()
	return &ms, nil
}

// given says whether the flag was on the command line, which an explicit zero
// is too.
func (f *flags) given(name string) (found bool) {
	f.Visit(func(one *flag.Flag) { found = found || one.Name == name })
	return found
}
