//go:build safeexec_faults

package child

import "slices"

// skipped leaves out the steps that a test asked for, so that it can see the
// daemon refuse the jail.
func skipped(skip []string, step string) bool { return slices.Contains(skip, step) }
