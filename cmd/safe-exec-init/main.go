// Command safe-exec-init is the spawner and the init of a jail. It is embedded
// in safe-exec and started by it alone, from a sealed memory file.
package main

import (
	"os"
	"runtime"

	"safe-exec/nsjail/child"
)

// init keeps the main goroutine on the first thread. Locked in main it would be
// too late: the scheduler may have moved it by then, on a slow machine above all.
func init() { runtime.LockOSThread() } //nolint:gochecknoinits // main is too late

func main() { os.Exit(child.Main(os.Args[0])) }
