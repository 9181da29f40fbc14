package seccomp

import (
	"errors"
	"fmt"
	"strings"
)

// Policy is a filter as people review it. Rules for the same call are
// alternatives: the call gets a rule's action if all of that rule's arguments
// match, and Default if no rule matches.
type Policy struct {
	Name    string
	Default Action // never Allow
	Rules   []Rule
}

// Rule names one system call and what happens to it.
type Rule struct {
	Syscall string // the kernel's name on x86_64
	Action  Action
	Args    []Arg  // all must match; none means any arguments
	Reason  string // why the interpreter needs it
}

// Arg matches one argument if argument&Mask == Value. The kernel reads an int
// argument's low 32 bits only, so a filter that compares all 64 either refuses
// what the kernel would take or, worse, lets through what it meant to refuse.
type Arg struct {
	Index uint // 0 to 5
	Mask  uint64
	Value uint64
}

// lowInt is the mask of what the kernel reads of an int argument.
const lowInt = 1<<32 - 1

func (a Arg) String() string {
	switch a.Mask {
	case ^uint64(0):
		return fmt.Sprintf("arg%d==%#x", a.Index, a.Value)
	case lowInt:
		return fmt.Sprintf("arg%d&int==%#x", a.Index, a.Value)
	}
	return fmt.Sprintf("arg%d&%#x==%#x", a.Index, a.Mask, a.Value)
}

func (r Rule) String() string {
	var b strings.Builder
	b.WriteString(r.Syscall)
	for _, a := range r.Args {
		b.WriteString(" " + a.String())
	}
	if r.Action != Allow {
		b.WriteString(" -> " + r.Action.String())
	}
	return b.String()
}

// Validate says whether the policy has one meaning that does not depend on the
// order of its rules.
func (p Policy) Validate() error {
	switch {
	case !p.Default.Valid():
		return fmt.Errorf("default: %v", p.Default)
	case p.Default == Allow:
		return errors.New("default: a filter that allows what it does not name is no allow list")
	}
	for i := range p.Rules {
		if err := p.check(i); err != nil {
			return err
		}
	}
	return nil
}

// check says what is wrong with rule i beside those before it.
func (p Policy) check(i int) error {
	r := p.Rules[i]
	err := r.validate(p.Default)
	for _, other := range p.Rules[:i] {
		if err == nil && other.Syscall == r.Syscall {
			err = compatible(other, r)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.Syscall, err)
	}
	return nil
}

func (r Rule) validate(fallback Action) error {
	switch {
	case !validName(r.Syscall):
		return fmt.Errorf("%q is no name of a system call", r.Syscall)
	case !r.Action.Valid():
		return fmt.Errorf("%v", r.Action)
	case r.Action == fallback:
		return fmt.Errorf("%v is the default already", r.Action)
	case r.Reason == "":
		return errors.New("no reason given")
	}
	var seen [6]bool
	for _, a := range r.Args {
		switch {
		case a.Index > 5:
			return fmt.Errorf("argument %d: a system call has six, from 0", a.Index)
		case seen[a.Index]:
			return fmt.Errorf("argument %d is compared twice in one rule", a.Index)
		case a.Mask == 0:
			return fmt.Errorf("argument %d: an empty mask matches everything", a.Index)
		case a.Value&^a.Mask != 0:
			return fmt.Errorf("%v never matches: the value has bits outside the mask", a)
		}
		seen[a.Index] = true
	}
	return nil
}

// compatible refuses two rules for one call of which one is idle or whose
// actions could both apply.
func compatible(a, b Rule) error {
	if a.disjoint(b) {
		return nil
	}
	switch {
	case len(a.Args) == 0 || len(b.Args) == 0:
		return fmt.Errorf("a rule without conditions stands beside another: %v", b)
	case a.Action != b.Action:
		return fmt.Errorf("%v overlaps a rule with another action", b)
	case a.String() == b.String():
		return fmt.Errorf("%v stands twice", b)
	}
	return nil
}

// disjoint says whether some argument tells the two rules apart for sure.
func (r Rule) disjoint(other Rule) bool {
	for _, a := range r.Args {
		for _, b := range other.Args {
			if a.Index == b.Index && (a.Value^b.Value)&a.Mask&b.Mask != 0 {
				return true
			}
		}
	}
	return false
}

func validName(s string) bool {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for _, c := range []byte(s) {
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
