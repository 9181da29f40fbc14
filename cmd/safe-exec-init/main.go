// Command safe-exec-init is the spawner and the init of a jail. It is embedded
// in safe-exec and started by it alone, from a sealed memory file.
package main

import (
	"os"

	"safe-exec/nsjail/child"
)

func main() { os.Exit(child.Main(os.Args[0])) }
