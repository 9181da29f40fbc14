package seccomp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Phase is a time in the life of a sandboxed process. The zero value is
// invalid.
type Phase int

const (
	Steady  Phase = iota + 1 // from just before the user's text is read to the end
	Startup                  // from before the exec to the loading of the steady filter
)

func (p Phase) String() string {
	switch p {
	case Steady:
		return "steady"
	case Startup:
		return "startup"
	}
	return "invalid phase " + strconv.Itoa(int(p))
}

// ParsePolicy reads the rules of one phase from a policy's text. name is the
// file's, for errors, which read file:line: what is wrong.
//
// The text has one rule a line, and a reason behind each:
//
//	default notify            # what happens to a call that no rule names
//	[steady]                  # the rules below hold in both phases
//	getpid                                  # os.getpid
//	socketpair arg0&int==AF_UNIX            # asyncio's self-pipe
//	mmap arg2&PROT_EXEC|PROT_WRITE==0       # ...
//	clone3 -> errno ENOSYS                  # flags behind a pointer
//	[startup]                 # the rules below hold in start-up only
//	execve                                  # the interpreter itself
//
// A condition is argN==VALUE or argN&MASK==VALUE without spaces; a value is a
// number or a constant of the kernel's headers, or several joined by |, and int
// is the mask of an int argument's 32 bits. Several lines for one call are
// alternatives.
//
// A rule of [startup] can only allow: an errno there would outrank the steady
// filter's notification, and the call would never be reported.
func ParsePolicy(name string, r io.Reader, phase Phase) (Policy, error) {
	if phase != Steady && phase != Startup {
		return Policy{}, fmt.Errorf("%s: %v", name, phase)
	}
	policy := Policy{Name: name + "/" + phase.String()}
	all := Policy{} // the rules of both phases, which must agree with each other
	section := Phase(0)
	scan := bufio.NewScanner(r)
	for n := 1; scan.Scan(); n++ {
		line, reason, _ := strings.Cut(scan.Text(), "#")
		line, reason = strings.TrimSpace(line), strings.TrimSpace(reason)
		err := error(nil)
		switch word, rest, _ := strings.Cut(line, " "); {
		case line == "":
		case word == "default" && all.Default == 0:
			all.Default, err = parseAction(rest)
		case word == "default":
			err = errors.New("a second default")
		case line == "[steady]":
			section = Steady
		case line == "[startup]":
			section = Startup
		case section == 0:
			err = errors.New("a rule before the first [steady] or [startup]")
		default:
			var rule Rule
			if rule, err = parseRule(line, reason); err != nil {
				break
			}
			if section == Startup && rule.Action != Allow {
				err = fmt.Errorf("%v: a rule of [startup] can only allow", rule)
				break
			}
			all.Rules = append(all.Rules, rule)
			if section == Steady || phase == Startup {
				policy.Rules = append(policy.Rules, rule)
			}
			err = all.check(len(all.Rules) - 1)
		}
		if err != nil {
			return Policy{}, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := scan.Err(); err != nil {
		return Policy{}, fmt.Errorf("%s: %w", name, err)
	}
	policy.Default = all.Default
	if err := policy.Validate(); err != nil {
		return Policy{}, fmt.Errorf("%s: %w", name, err)
	}
	return policy, nil
}

func parseRule(line, reason string) (Rule, error) {
	match, action, arrow := strings.Cut(line, "->")
	rule := Rule{Action: Allow, Reason: reason}
	if arrow {
		var err error
		if rule.Action, err = parseAction(action); err != nil {
			return Rule{}, err
		}
	}
	words := strings.Fields(match)
	if len(words) == 0 {
		return Rule{}, errors.New("no system call named")
	}
	rule.Syscall = words[0]
	for _, w := range words[1:] {
		arg, err := parseArg(w)
		if err != nil {
			return Rule{}, err
		}
		rule.Args = append(rule.Args, arg)
	}
	return rule, nil
}

func parseArg(text string) (Arg, error) {
	left, value, ok := strings.Cut(text, "==")
	index, mask, masked := strings.Cut(left, "&")
	digit, named := strings.CutPrefix(index, "arg")
	if !ok || !named || len(digit) != 1 || digit[0] < '0' || digit[0] > '5' {
		return Arg{}, fmt.Errorf("condition %q: want argN==VALUE or argN&MASK==VALUE, N from 0 to 5", text)
	}
	arg := Arg{Index: uint(digit[0] - '0'), Mask: ^uint64(0)}
	var err error
	if masked {
		if arg.Mask, err = parseValue(mask); err != nil {
			return Arg{}, fmt.Errorf("condition %q: %w", text, err)
		}
	}
	if arg.Value, err = parseValue(value); err != nil {
		return Arg{}, fmt.Errorf("condition %q: %w", text, err)
	}
	return arg, nil
}

func parseValue(text string) (uint64, error) {
	var v uint64
	for part := range strings.SplitSeq(text, "|") {
		n, ok := constant(part)
		if !ok {
			var err error
			if n, err = strconv.ParseUint(part, 0, 64); err != nil {
				return 0, fmt.Errorf("%q is neither a number nor a known constant", part)
			}
		}
		v |= n
	}
	return v, nil
}
