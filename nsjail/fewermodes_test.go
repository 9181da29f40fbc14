package nsjail_test

import (
	"slices"
	"sync"

	"safe-exec/policy"
)

// Two things differ between the start modes: who makes the namespaces, the mounts, the
// ids and the limits of the jail (package child, or the C code in a template), and what
// the interpreter has done before the program comes. All else is the same: the filters,
// the supervisor that waits for the payload and hands over its files, the daemon that
// reads the outputs, counts and judges.
//
// A warm start has the jail of a cold one, and its interpreter is made ready by the code
// that makes a template ready; but it does so within the limits and the filter of the run.

// fewer lists the rows whose answer cannot depend on the omitted modes, grouped by reason.
// The name of a test alone stands for all of its rows.
var fewer = []struct {
	reason string
	modes  []string
	rows   []string
}{
	{
		"the supervisor looks at files after the program's end: their names, numbers, sizes and kinds are none of the jail's",
		oneMode,
		[]string{
			"TestFilesThatComeBack/an empty file",
			"TestFilesThatComeBack/what globs ask for alone",
			"TestFilesThatComeBack/nothing where nothing is asked for",
			"TestFilesThatComeBack/a link to the root",
			"TestFilesThatComeBack/a link to a file of its own",
			"TestFilesThatComeBack/a link in the middle of a path",
			"TestFilesThatComeBack/links that go round",
			"TestFilesThatComeBack/a file whose other name is gone",
			"TestFilesThatComeBack/a file that is gone but open",
			"TestFilesThatComeBack/and is opened to them as the reason says",
			"TestFilesThatComeBack/directories as deep as is allowed",
			"TestFilesThatComeBack/and deeper, with a glob that matches none",
			"TestFilesThatComeBack/two hundred deep",
			"TestFilesThatComeBack/names that are no text",
			"TestFilesThatComeBack/names that look like ways out",
			"TestFilesThatComeBack/names that clash on other systems",
			"TestFilesThatComeBack/names like frames of the protocol",
			"TestFilesThatComeBack/the longest name",
			"TestFilesThatComeBack/the longest path",
			"TestFilesThatComeBack/content like frames of the protocol",
			"TestFilesThatComeBack/a file that is larger than any may be",
			"TestFilesThatComeBack/and more",
			"TestFilesThatAreAsTheyWereStay",
			"TestFilesAreBoundedInNumber",
			"TestANamedFileIsFoundWhateverElseLiesThere",
			"TestANamedFileComesBeforeThoseThatOnlyMatch",
			"TestVerdictsDoNotDependOnFiles",
		},
	},
	{
		"the daemon reads and cuts the outputs, tells the watcher, and counts the calls that the filter refuses",
		oneMode,
		[]string{
			"TestVerdicts/output that is no UTF-8",
			"TestVerdicts/a replaced serialiser changes nothing but its own output",
			"TestVerdicts/a number that few decoders take is only text",
			"TestVerdicts/a flood of refused calls ends the run",
			"TestVerdicts/SIGSYS cannot be faked",
			"TestAGigabyteOfOutputIsCountedAndCut",
			"TestMoreThanTheOutputLimitEndsTheRun",
			"TestAWatcherHearsWhatHappensUpToTheLimits/no more than is kept, from the start",
			"TestAWatcherHearsWhatHappensUpToTheLimits/a refused call once, however often it is made",
			"TestAWatcherThatBlocksHoldsUpNoRun",
			"TestAProgramThatNeverRunsIsNotSaidToHaveStarted/one that fails while it runs",
		},
	},
	{
		"the daemon's clock ends the run, whatever the program does; an endless loop tests that in cold and fork",
		oneMode,
		[]string{
			"TestVerdicts/so is a JavaScript loop",
			"TestVerdicts/sleep past the limit",
			"TestVerdicts/ignored signals do not help",
			"TestVerdicts/a process that stops itself",
			"TestVerdicts/a C call that never returns",
			"TestACancelledRunSaysSo",
			"TestTheDaemonAnswersOthersDuringAFlood",
		},
	},
	{
		"how the payload ended is told by the supervisor, and judged by its number alone",
		oneMode,
		[]string{
			"TestVerdicts/exit(137) is not taken for a kill",
			"TestVerdicts/an abort",
			"TestVerdicts/an early exit 0 is only an exit 0",
		},
	},
	{
		"the check reads only the program and the lists; one refusal and one syntax error of each language still run in every mode, and package profiles runs the check in each way",
		oneMode,
		[]string{
			"TestVerdicts/an import that is not on the list",
			"TestVerdicts/a blocked builtin in the tree",
			"TestVerdicts/a hundred refused names of the longest kind",
			"TestAProgramThatIsOnlyChecked/runs nothing, not even for ever",
			"TestAProgramThatIsOnlyChecked/runs nothing of an unrestricted level either",
			"TestAProgramThatIsOnlyChecked/is refused what the request denies",
			"TestAProgramThatIsOnlyChecked/is refused a name that is put together where only constant ones are allowed",
			"TestAProgramThatIsOnlyChecked/would run with constant names where those are allowed",
			"TestAProgramThatIsOnlyChecked/counts the imports that it does not list",
			"TestACheckAgreesWithARun",
		},
	},
	{
		"package profiles runs these programs with an interpreter that is cold and with one that is ready; what a jail has on top of that, its filters, is the same in all modes",
		oneMode,
		[]string{"TestRealProgramsRunInRealJails"},
	},
	{
		"the answer depends on who makes the jail, not on what its interpreter has done",
		[]string{policy.StartCold, policy.StartFork},
		[]string{
			"TestAThousandRunsLeaveNothing",
			"TestRunsAtOnceDoNotMix",
			"TestFilesThatComeBack",
			"TestVerdicts/a loop without end is stopped by time",
			"TestVerdicts/tmpfs beyond the limit",
			"TestVerdicts/a full disk",
			"TestVerdicts/a disk full of names",
			"TestVerdicts/a flood of threads is bounded",
			"TestVerdicts/so is a process",
			"TestVerdicts/a kill of itself",
			"TestVerdicts/no field but stdout follows a forged frame",
		},
	},
}

// oneMode is how most runs start where jails wait for them, and what costs the least.
var oneMode = []string{policy.StartFork}

// modesOf are those that a row of a test runs in. A name in an earlier group counts.
func modesOf(test, row string) []string {
	if inVM { // the machine tests another kernel, and a cold start uses most of it
		return []string{policy.StartCold}
	}
	for _, group := range fewer {
		for _, name := range []string{test + "/" + row, test} {
			if slices.Contains(group.rows, name) {
				asked.Store(name, true)
				if !*allModes {
					return group.modes
				}
			}
		}
	}
	return modes
}

// asked has the names in fewer that a test has asked for.
var asked sync.Map

// unasked are the names in fewer of which there is no row, as after one got another name.
func unasked() (names []string) {
	for _, group := range fewer {
		for _, name := range group.rows {
			if _, ok := asked.Load(name); !ok {
				names = append(names, name)
			}
		}
	}
	return names
}
