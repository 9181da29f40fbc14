//go:build !safeexec_faults

package child

// skipped lets no step be left out: only a build made for tests can.
func skipped([]string, string) bool { return false }
