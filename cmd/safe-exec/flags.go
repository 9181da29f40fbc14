package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/pflag"
)

// flags are one command's. What it says is the same for every command: help
// that was asked for goes to stdout, a wrong flag is one line and where to find
// help.
type flags struct {
	*pflag.FlagSet
	synopsis string // what stands behind the command's name
	rest     bool   // arguments beyond those that parse allows are the program's
	notes    string // printed below the flags
	help     *bool
}

func newFlags(name, synopsis, notes string) *flags {
	fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
	fs.SetInterspersed(false) // what follows a program's file may be its own
	// A flag like others: the library's own takes -html for a call for help.
	help := fs.BoolP("help", "h", false, "")
	fs.Lookup("help").Hidden = true
	return &flags{FlagSet: fs, synopsis: synopsis, notes: notes, help: help}
}

// IntVar and Int64Var are the library's for decimal numbers alone: there 010 is 8.
func (f *flags) IntVar(into *int, name string, usual int, usage string) {
	*into = usual
	f.Var(decimal[int]{into}, name, usage)
}

func (f *flags) Int64Var(into *int64, name string, usual int64, usage string) {
	*into = usual
	f.Var(decimal[int64]{into}, name, usage)
}

// decimal is the value of a flag: a whole number as people write it.
type decimal[T int | int64] struct{ n *T }

func (d decimal[T]) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	*d.n = T(n)
	return err
}

func (d decimal[T]) String() string { return strconv.FormatInt(int64(*d.n), 10) }
func (decimal[T]) Type() string     { return "int64" }

// parse takes the command line, with at most args arguments behind the flags.
// If done, the command ends with status.
func (f *flags) parse(line []string, args int, std stdio) (status int, done bool) {
	err := f.Parse(line)
	switch {
	case err != nil:
		err = mistaken(err, line)
	case *f.help:
		f.usage(std.out)
		return exitOK, true
	default:
		if err = f.empty(); err == nil && f.NArg() > args {
			err = f.surplus(f.Args()[args:], args > 0)
		}
	}
	if err != nil {
		return f.wrong(std, "%w", err), true
	}
	return exitOK, false
}

// empty refuses a flag that was given nothing, as by a shell variable that is not set. To
// take such a flag for one that was not given would be a guess.
func (f *flags) empty() (err error) {
	f.Visit(func(one *pflag.Flag) {
		if one.Value.Type() == "string" && one.Value.String() == "" {
			err = fmt.Errorf("--%s is empty", one.Name)
		}
	})
	return err
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
			return fmt.Errorf("put -- directly after the file: %s", f.asOwn(slices.Delete(slices.Clone(more), i, i+1), i))
		case flag && f.rest:
			return fmt.Errorf("put flags before the file: %s (to pass it to the program, write: %s)", one, f.asOwn(more, i))
		case flag && behind:
			return fmt.Errorf("flags come first: %s", one)
		case !f.rest:
			return fmt.Errorf("unexpected argument %q", one)
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

// mistaken says what is wrong with a flag.
func mistaken(err error, line []string) error {
	var unknown *pflag.NotExistError
	var noName *pflag.InvalidSyntaxError
	var bare *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		letters := unknown.GetSpecifiedShortnames() // of -html, tml: -h there is
		i := slices.IndexFunc(line, func(word string) bool { return strings.HasPrefix(word, "-") && strings.HasSuffix(word, letters) })
		return fmt.Errorf("unknown flag %s; flags begin with two dashes", line[max(i, 0)])
	case errors.As(err, &unknown):
		return fmt.Errorf("unknown flag --%s", unknown.GetSpecifiedName())
	case errors.As(err, &noName):
		return fmt.Errorf("unknown flag %s", noName.GetSpecifiedFlag())
	case errors.As(err, &bare):
		return fmt.Errorf("--%s needs a value", bare.GetSpecifiedName())
	case !errors.As(err, &wrong):
		return err
	}
	name, why := wrong.GetFlag().Name, wrong.Unwrap().Error()
	switch wrong.GetFlag().Value.Type() {
	case "bool":
		why = "want true or false, or no value"
	case "duration":
		why = "want a duration with its unit, such as 3s or 500ms"
	case "int", "int64":
		why = "want a whole number"
		if errors.Is(wrong, strconv.ErrRange) {
			why = "the number does not fit 64 bits"
		}
	}
	return fmt.Errorf("--%s %q: %s", name, wrong.GetValue(), why)
}

func (f *flags) usage(w io.Writer) {
	fmt.Fprint(w, "usage: safe-exec ", f.Name())
	if f.HasAvailableFlags() {
		fmt.Fprint(w, " [FLAGS]")
	}
	if f.synopsis != "" {
		fmt.Fprint(w, " ", f.synopsis)
	}
	fmt.Fprintln(w)
	f.VisitAll(func(one *pflag.Flag) {
		if one.Hidden {
			return
		}
		value, text := pflag.UnquoteUsage(one)
		fmt.Fprintf(w, "  --%-22s %s\n", one.Name+" "+value, text)
	})
	if f.notes != "" {
		fmt.Fprintln(w, f.notes)
	}
}

// wholeMilliseconds is --timeout as a limit has it, which has no part of one.
func wholeMilliseconds(timeout time.Duration) (*int64, error) {
	if timeout%time.Millisecond != 0 {
		return nil, fmt.Errorf("--timeout is %s, want whole milliseconds", timeout)
	}
	ms := timeout.Milliseconds()
	return &ms, nil
}
