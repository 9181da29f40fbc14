package nsjail_test

import (
	"os"
	"time"

	"safe-exec/policy"
)

// inVM is said by the machine of internal/vmtest. Its processor is emulated and
// ten times as slow, so there what is repeated is repeated less; nothing is left out.
var inVM = os.Getenv("SAFEEXEC_VM") == "1"

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

// startTimeout bounds a start while dozens of others go on, and other tests beside.
const startTimeout = time.Minute

// unhurried gives a request that leaves its time limit open the longest there is: what
// a busy machine takes for a program is no verdict on it.
func unhurried(req policy.Request) policy.Request {
	if req.Limits.TimeoutMS == nil {
		req.Limits.TimeoutMS = ptr(int64(30000))
	}
	return req
}
