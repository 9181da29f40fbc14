//go:build safeexec_faults

package initbin

import _ "embed"

//go:embed build/safe-exec-init-faults
var faults []byte

// Faults is the same program built so that it can leave out steps.
func Faults() []byte { return faults }
