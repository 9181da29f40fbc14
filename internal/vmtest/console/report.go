package console

import (
	"fmt"
	"strings"
	"time"
)

// The first word of each line of the init.
const (
	wordStart  = "VMTEST-START"
	wordBegin  = "VMTEST-BEGIN"
	wordReport = "VMTEST"
	wordNote   = "VMTEST-NOTE"
	wordFatal  = "VMTEST-FATAL"
	wordEnd    = "VMTEST-END"
)

// OutputPrefix stands before every line that a command wrote.
const OutputPrefix = "| "

// Report is how one command ended.
type Report struct {
	Name    string
	Exit    int           // exit status; the negative signal number when a signal ended it; NotStarted
	Took    time.Duration // from start to end, whole milliseconds
	Timeout bool          // the init killed it at its time-out
	Left    Left
}

// NotStarted is the exit status of a command that could not be started.
const NotStarted = -1000

// Left counts what a command left behind in the machine once it was gone.
type Left struct {
	Procs   int // processes alive after a grace time
	Cgroups int // directories more than before below the cgroup root
	Mounts  int // mounts more than before in the init's namespace
}

// Line is the report as the init prints it.
func (r Report) Line() string {
	return fmt.Sprintf("%s %s exit=%d ms=%d timeout=%t procs=%d cgroups=%d mounts=%d", wordReport,
		r.Name, r.Exit, r.Took.Milliseconds(), r.Timeout, r.Left.Procs, r.Left.Cgroups, r.Left.Mounts)
}

func parseReport(rest string) (Report, error) {
	var r Report
	var ms int64
	n, err := fmt.Sscanf(rest, "%s exit=%d ms=%d timeout=%t procs=%d cgroups=%d mounts=%d",
		&r.Name, &r.Exit, &ms, &r.Timeout, &r.Left.Procs, &r.Left.Cgroups, &r.Left.Mounts)
	if err != nil {
		return Report{}, fmt.Errorf("field %d: %w", n+1, err)
	}
	r.Took = time.Duration(ms) * time.Millisecond
	// Scanning is lenient about signs, spaces and what follows; printing is not.
	if r.Line() != wordReport+" "+rest {
		return Report{}, fmt.Errorf("not as printed: %q", rest)
	}
	return r, nil
}

// StartLine says that the init is up and how many commands it will run.
func StartLine(commands int) string { return fmt.Sprintf("%s commands=%d", wordStart, commands) }

// BeginLine says that a command is about to start.
func BeginLine(name string) string { return wordBegin + " " + name }

// NoteLine is a sentence for the person who reads the console.
func NoteLine(text string) string { return wordNote + " " + oneLine(text) }

// FatalLine says why the init gives up; no end line follows.
func FatalLine(err error) string { return wordFatal + " " + oneLine(err.Error()) }

// EndLine says that every command was run.
func EndLine(commands int) string { return fmt.Sprintf("%s commands=%d", wordEnd, commands) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
