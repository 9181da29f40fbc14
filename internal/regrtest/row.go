package regrtest

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"safe-exec/policy"
)

//go:embed differs
var differs []byte

// Listed are the tests that may differ.
func Listed() (map[string]bool, error) { return ReadListed(bytes.NewReader(differs)) }

// Row is the comparison of one module, or of several together.
type Row struct {
	Module         string
	Tests, Skipped int // of the bare run
	Differences    []Difference
	Bare, Jail     time.Duration
}

// Run makes the comparison of one module.
func Run(ctx context.Context, python string, executor policy.Executor, module string, listed map[string]bool) (Row, error) {
	begin := time.Now()
	bare, err := Bare(ctx, python, module)
	if err != nil {
		return Row{}, err
	}
	middle := time.Now()
	jail, err := Jailed(ctx, executor, module)
	if err != nil {
		return Row{}, fmt.Errorf("in the jail: %w", err)
	}
	row := Row{
		Module: module, Tests: len(bare), Differences: Compare(bare, jail, listed),
		Bare: middle.Sub(begin), Jail: time.Since(middle),
	}
	for _, o := range bare {
		if o.Result == "skipped" {
			row.Skipped++
		}
	}
	return row, nil
}

// Add counts another row in.
func (r *Row) Add(o Row) {
	r.Tests += o.Tests
	r.Skipped += o.Skipped
	r.Differences = append(r.Differences, o.Differences...)
	r.Bare += o.Bare
	r.Jail += o.Jail
}

// Idle are the listed tests of these modules that did not differ.
func (r Row) Idle(listed map[string]bool, modules []string) []string {
	var idle []string
	for name := range listed {
		ran := slices.ContainsFunc(modules, func(m string) bool { return strings.HasPrefix(name, "test."+m+".") })
		if ran && !slices.ContainsFunc(r.Differences, func(d Difference) bool { return d.Test == name }) {
			idle = append(idle, name)
		}
	}
	slices.Sort(idle)
	return idle
}

func (r Row) String() string {
	return fmt.Sprintf("%-22s %6d %6d %8d %7d %8.1f %8.1f", r.Module, r.Tests, r.Tests-len(r.Differences),
		r.Skipped, len(r.Differences), r.Bare.Seconds(), r.Jail.Seconds())
}
