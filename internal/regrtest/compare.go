package regrtest

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Difference is a test whose outcome in the jail is not that of the bare run.
type Difference struct {
	Test       string
	Bare, Jail Outcome // the zero Outcome where the test did not run
	Listed     bool
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: bare %s, jail %s", d.Test, d.Bare, d.Jail)
}

func (o Outcome) String() string {
	switch {
	case o == Outcome{}:
		return "missing"
	case o.Detail == "":
		return o.Result
	}
	return o.Result + " (" + o.Detail + ")"
}

// Compare gives every difference in the order of the tests' names. Why a test
// was skipped does not count: reasons name paths and users.
func Compare(bare, jail Table, listed map[string]bool) []Difference {
	all := maps.Clone(bare)
	maps.Copy(all, jail)
	var found []Difference
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if bare[name].Result != jail[name].Result {
			found = append(found, Difference{name, bare[name], jail[name], listed[name]})
		}
	}
	return found
}

// ReadListed reads the list of tests that may differ: a name a line, behind #
// the reason, without which a line is refused.
func ReadListed(r io.Reader) (map[string]bool, error) {
	listed := make(map[string]bool)
	scan := bufio.NewScanner(r)
	for n := 1; scan.Scan(); n++ {
		name, reason, _ := strings.Cut(scan.Text(), "#")
		name, reason = strings.TrimSpace(name), strings.TrimSpace(reason)
		switch {
		case name == "":
		case reason == "" || strings.ContainsAny(name, " \t"):
			return nil, fmt.Errorf("line %d: want the name of a test, # and a reason", n)
		case listed[name]:
			return nil, fmt.Errorf("line %d: %s stands twice", n, name)
		default:
			listed[name] = true
		}
	}
	return listed, scan.Err()
}
