// Package initbin holds the compiled spawner and init (cmd/safe-exec-init), so
// that the product is one file and the versions of its two halves cannot mix.
package initbin

import _ "embed"

//go:embed build/safe-exec-init
var program []byte

// Program is the static executable. It is copied to a sealed memory file before
// use, so that nothing on disk is executed by root.
func Program() []byte { return program }
