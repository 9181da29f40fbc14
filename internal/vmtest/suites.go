package vmtest

import "time"

// Suite is one test package that runs inside the machine.
type Suite struct {
	Name    string   // the package's path below the module
	Part    string   // tells apart the suites of one package
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

// Label is the suite's name on the console.
func (s Suite) Label() string {
	if s.Part == "" {
		return s.Name
	}
	return s.Name + "-" + s.Part
}

// covers is the suite with what of it does not run.
func (s Suite) covers() string {
	text := s.Label()
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

// ofInterpreters are tests of package nsjail whose answer comes from an interpreter, the
// harness or the supervisor, and hardly from this kernel. They take half of its time.
const ofInterpreters = "TestAtTheEdgeOfTheDepthEveryStartComesToTheSameVerdict|TestTheLargestProgramsEndInAVerdictOfTheirOwn|" +
	"TestVerdictsDoNotDependOnFiles|TestANamedFileIsFoundWhateverElseLiesThere|TestANamedFileComesBeforeThoseThatOnlyMatch|" +
	"TestEveryPathThatIsAcceptedIsLaidOutAndComesBack|TestEveryPathBelowTheWorkingDirectoryIsTheProgramsToUse|" +
	"TestProgramsFindWhatTheyWereGiven|TestTheLargestInputArrives|TestACheckAgreesWithARun|TestAProgramThatIsOnlyChecked"

// Suites are what `make vmtest` runs, in this order: what the machine is, then
// the packages from the kernel's interface up to whole jails. The machine is
// ten times as slow as the host: a Python start takes about a second. The
// time-outs are some five times what a suite takes while nothing else runs: a
// host that does something else beside gives the emulator a fraction of itself.
var Suites = []Suite{
	{Name: "internal/vmtest/probe", Tags: "vmtest", Timeout: 90 * time.Second},
	// The machine has no controller on v1.
	{Name: "cgroup", Skip: "^TestV1$", Timeout: 150 * time.Second},
	{Name: "seccomp", Timeout: time.Minute},
	{Name: "nsjail/landlock", Timeout: time.Minute},
	{Name: "nsjail/posture", Timeout: time.Minute},
	{Name: "nsjail/lease", Timeout: time.Minute},
	{Name: "nsjail/shim", Timeout: time.Minute},
	{Name: "nsjail/collect", Static: true, Timeout: 2 * time.Minute},
	// Here the build that can leave out steps; the shipped one's tests run on the host.
	{Name: "nsjail/child", Tags: "safeexec_faults", Static: true, Timeout: 5 * time.Minute},
	// The corpus stays on the host.
	{Name: "nsjail", Static: true, Skip: "^(TestRealProgramsRunInRealJails|" + ofInterpreters + ")$", Files: nsjailFiles, Timeout: 40 * time.Minute},
	{Name: "nsjail", Part: "interpreters", Static: true, Run: "^(" + ofInterpreters + ")$", Files: nsjailFiles, Timeout: 30 * time.Minute, Full: true},
	// The escape battery: what is worst, and then, for whoever has an hour, all of
	// it and with one layer at a time left out.
	{Name: "internal/battery", Part: "severe", Static: true, Run: "^TestSevere", Timeout: 15 * time.Minute},
	{Name: "internal/battery", Part: "short", Static: true, Run: "^TestShortForm", Timeout: 5 * time.Minute, Full: true},
	{Name: "internal/battery", Part: "every", Static: true, Run: "^TestEveryProbe", Timeout: 60 * time.Minute, Full: true},
	{Name: "internal/battery", Part: "ablation", Static: true, Run: "^TestEverySevereTechnique", Tags: "safeexec_faults", Timeout: 90 * time.Minute, Full: true},
	{Name: "cmd/safe-exec", Static: true, Run: "^TestAblateCounts", Tags: "safeexec_faults", Timeout: 20 * time.Minute, Full: true},
}
