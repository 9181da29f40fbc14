package vmtest

import "time"

// Suite is one test package that runs inside the machine.
type Suite struct {
	Name    string   // on the console; the package's path below the module
	Static  bool     // link C code statically (a package without C needs no flag: it is built without cgo)
	Run     string   // -test.run pattern; empty runs all
	Skip    string   // -test.skip pattern, for what belongs on the host only
	Short   bool     // -test.short
	Tags    string   // further build tags, comma-separated
	Env     []string // added to what the init gives: SAFEEXEC_VM=1, PATH, HOME, TMPDIR, LANG
	Files   []string // files or directories of the module to lay beside the package, such as "profiles"
	Timeout time.Duration
}

// Suites are what `make vmtest` runs, in this order. The machine is ten times
// as slow as the host: a Python start takes about a second.
var Suites = []Suite{
	{Name: "internal/vmtest/probe", Tags: "vmtest", Timeout: 90 * time.Second},
}
