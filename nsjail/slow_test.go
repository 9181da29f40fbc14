package nsjail_test

import (
	"os"
	"time"

	"safe-exec/nsjail"
	"safe-exec/policy"
)

// inVM is said by the machine of internal/vmtest. Its processor is emulated and
// ten times as slow, so there every bound on time is wider and what is repeated
// is repeated less; nothing is left out.
var inVM = os.Getenv("SAFEEXEC_VM") == "1"

// vmSlowness is by how much bounds are wider in the machine.
const vmSlowness = 5

// patient is a bound on time that the machine of the test can keep.
func patient(d time.Duration) time.Duration {
	if inVM {
		return vmSlowness * d
	}
	return d
}

// repeated is how often to do what is done often on the host.
func repeated(onHost, inMachine int) int {
	if inVM {
		return inMachine
	}
	return onHost
}

// reachableLimits makes the bounds on output and on refused calls ones that the
// machine can run into within the longest time limit; the host keeps the
// profile's own.
func reachableLimits(all map[string]policy.Profile) {
	if p := all["python"]; inVM {
		p.Fixed.MaxOutputBytes, p.Fixed.MaxDenials = 128<<20, 1000
		all["python"] = p
	}
}

// startTimeout bounds a start while dozens of others go on.
func startTimeout() time.Duration { return patient(nsjail.DefaultStartTimeout) }
