//go:build safeexec_faults

package main

import (
	"context"
	"errors"
	"os"
	"regexp"

	"safe-exec/nsjail/initbin"
)

// addAblate adds the flag that leaves out layers.
func addAblate(f *escapeFlags) {
	f.BoolFunc("ablate", "leave out one layer at a time, and say how many stop each technique", func(string) error {
		f.instead = f.ablate
		return nil
	})
}

var errNoMachine = errors.New("escape: --ablate runs attacks in jails that lack a layer, by which some of them get out: " +
	"it runs in the virtual machine alone (make vmtest-full), where SAFEEXEC_VM is 1")

// ablate says whether every technique of severity C is stopped by two layers at
// least, and could be asked without each of them.
func (f *escapeFlags) ablate(ctx context.Context, conf config, only *regexp.Regexp, std stdio) (bool, error) {
	switch {
	case f.socket != "":
		return false, &usageError{errors.New("escape: --ablate leaves out layers of jails of this process: it goes without --socket")}
	case os.Getenv("SAFEEXEC_VM") != "1":
		return false, &usageError{errNoMachine}
	}
	set, err := f.set(ctx, conf, std.err)
	if err != nil {
		return false, err
	}
	defer set.Close()
	probes, err := f.choose(set.Probes, only)
	if err != nil {
		return false, err
	}
	ablation, err := set.Ablate(ctx, probes, f.parallel, initbin.Faults())
	if err != nil {
		return false, err
	}
	return len(ablation.Critical()) == 0 && len(ablation.Broken) == 0, f.write(ablation, std.out)
}
