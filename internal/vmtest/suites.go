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
	Full    bool // only with -full: takes more than the time of a change
}

// covers is the suite with what of it does not run.
func (s Suite) covers() string {
	text := s.Name
	if s.Run != "" {
		text += ", only " + s.Run
	}
	if s.Skip != "" {
		text += ", without " + s.Skip
	}
	if s.Short {
		text += ", short"
	}
	return text
}

// nsjailFiles are what the tests of real jails read from the module.
var nsjailFiles = []string{"nsjail/initbin/build/safe-exec-init-faults"}

// Suites are what `make vmtest` runs, in this order: what the machine is, then
// the packages from the kernel's interface up to whole jails. The machine is
// ten times as slow as the host: a Python start takes about a second.
var Suites = []Suite{
	{Name: "internal/vmtest/probe", Tags: "vmtest", Timeout: 90 * time.Second},
	// The machine has no controller on v1.
	{Name: "cgroup", Skip: "^TestV1$", Timeout: 150 * time.Second},
	{Name: "seccomp", Timeout: 60 * time.Second},
	{Name: "nsjail/landlock", Timeout: 30 * time.Second},
	{Name: "nsjail/posture", Timeout: 30 * time.Second},
	{Name: "nsjail/lease", Timeout: 30 * time.Second},
	{Name: "nsjail/shim", Timeout: 30 * time.Second},
	// Here the build that can leave out steps; the shipped one's tests run on the host.
	{Name: "nsjail/child", Tags: "safeexec_faults", Timeout: 30 * time.Second},
	{Name: "nsjail", Static: true, Files: nsjailFiles, Timeout: 300 * time.Second},
	// The escape battery, its short form first, and the ablation: for whoever has
	// an hour.
	{Name: "internal/battery", Static: true, Run: "^TestShortForm", Timeout: 240 * time.Second, Full: true},
	{Name: "internal/battery", Static: true, Run: "^TestEverySevereTechnique", Tags: "safeexec_faults", Files: nsjailFiles, Timeout: 40 * time.Minute, Full: true},
	{Name: "internal/battery", Static: true, Run: "^TestEveryProbe|^TestSevere", Timeout: 40 * time.Minute, Full: true},
}
