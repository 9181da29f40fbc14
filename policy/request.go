package policy

import (
	"context"
	"strconv"
	"strings"
)

// Request is one program that a caller wants run. Optional fields are
// pointers: nil means "not asked for", so that an explicit zero can be refused
// rather than taken for a default.
type Request struct {
	Language string        // a name or alias, see ParseLanguage
	Code     string        // the program's text, UTF-8, at most MaxCodeBytes
	Level    string        // import policy level; empty means the profile's default, or the ceiling if that is narrower
	Deny     []string      // modules to take out of that level, each with what is below it; at most MaxDeny of MaxModuleBytes
	Ceiling  string        // widest level this caller may ask for; empty means the profile's own ceiling
	Profile  string        // profile by name; empty picks the language's default. Root callers only
	Limits   LimitsRequest // what the caller asks for
	// CeilingLimits is what this caller may ask for at most, where it is below the
	// profile's maximum; nil leaves that maximum.
	CeilingLimits LimitsRequest
	StartMode     string // StartCold, StartWarm or StartFork; empty takes what is fastest. Root callers only
	Caller        Caller // who asks: callers share no address layout
	// Weight is how much processor time all runs of the caller get together, beside
	// those of another caller, while there is too little for all. Zero counts as 1.
	Weight     int
	Privileged bool     // the caller is root: it may choose a profile and a start mode
	Input      Input    // what the program gets beside its text
	Collect    []string // globs of files to bring back, see Input; nil brings back all that are new or changed, an empty list none
	// Watch hears what happens while the program runs, in order and from one
	// goroutine at a time; nil for nobody. It must not block.
	Watch func(Event)
}

// Caller is who asks: a process of this host, or the holder of a token. The zero
// value is nobody.
type Caller struct {
	Local bool   // a process of this host: UID and GID are what the kernel says of it (SO_PEERCRED)
	UID   uint32 // of the process when it connected
	GID   uint32
	Token string // the token's name, see ValidTokenName
}

// MaxTokenName is how long a token's name may be, in bytes.
const MaxTokenName = 64

// ValidTokenName says whether a token may have that name: 1 to MaxTokenName of A-Z
// a-z 0-9 . _ -.
func ValidTokenName(name string) bool {
	if len(name) == 0 || len(name) > MaxTokenName {
		return false
	}
	for _, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}

// String names the caller, for logs and for telling callers apart.
func (c Caller) String() string {
	switch {
	case c.Local:
		return "uid " + strconv.FormatUint(uint64(c.UID), 10)
	case c.Token != "":
		return "token " + c.Token
	}
	return "nobody"
}

// ParseCaller reads what String gives. The gid is not in it.
func ParseCaller(s string) (c Caller, ok bool) {
	if uid, found := strings.CutPrefix(s, "uid "); found {
		n, err := strconv.ParseUint(uid, 10, 32)
		return Caller{Local: true, UID: uint32(n)}, err == nil
	}
	token, found := strings.CutPrefix(s, "token ")
	return Caller{Token: token}, found && token != ""
}

// Root says whether the caller is root of this host.
func (c Caller) Root() bool { return c.Local && c.UID == 0 }

// Input is what a program gets beside its text.
type Input struct {
	Stdin string
	Args  []string
	Env   map[string]string
	Files []InputFile
}

// InputFile is a file that lies in the working directory when the program starts.
type InputFile struct {
	Path    string // relative, slashes, no dot-dot
	Content []byte
}

// EventKind says what an Event tells.
type EventKind string

const (
	EventStarted EventKind = "started" // the first: the program was accepted and starts
	EventStdout  EventKind = "stdout"  // bytes that the program wrote
	EventStderr  EventKind = "stderr"
	EventDenial  EventKind = "denial" // a system call was refused
)

// Event is something that happened while a program ran. Output is told up to the
// limits max_stdout_bytes and max_stderr_bytes, from the start; the result has the
// end, too.
type Event struct {
	Kind    EventKind
	Data    []byte // EventStdout, EventStderr; the hearer's own
	Syscall string // EventDenial
}

// MaxDeny bounds how many modules a request may deny, and MaxModuleBytes their names:
// what is below a module that a level lists may be denied though no list has it.
const (
	MaxDeny        = 100
	MaxModuleBytes = 64
)

// LimitsRequest holds the limits a caller may lower, or raise up to the
// profile's maximum.
type LimitsRequest struct {
	TimeoutMS      *int64 // wall time in milliseconds, counted from handing over the code
	MaxMemoryMB    *int64 // memory in MiB
	MaxStdoutBytes *int64 // bytes of stdout kept in the result
	MaxStderrBytes *int64 // bytes of stderr kept in the result
}

// Executor runs one request to its verdict. Anything the program does, its
// crash included, is a Result; an error means that we failed or refused: it is
// an *Error, or wraps one. Cancelling ctx kills the run and yields a Result
// with StatusCancelled.
type Executor interface {
	Execute(ctx context.Context, req Request) (*Result, error)
}

// Checker says what would become of a request without running any of its
// program: it is parsed and checked inside a jail, by the same code that would
// run it. Errors are those of Executor.
type Checker interface {
	CheckProgram(ctx context.Context, req Request) (*CheckResult, error)
}
