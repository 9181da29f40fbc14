//go:build safeexec_faults

package nsjail

// ablated lets a jail run although a layer is left out, to see which other
// layer stops an attack then.
func ablated(c Config) bool { return c.Ablate }
