package policy

import "context"

// Request is one program that a caller wants run. Optional fields are
// pointers: nil means "not asked for", so that an explicit zero can be refused
// rather than taken for a default.
type Request struct {
	Language   string        // a name or alias, see ParseLanguage
	Code       string        // the program's text, UTF-8, at most MaxCodeBytes
	Level      string        // import policy level; empty means the profile's default, or the ceiling if that is narrower
	Deny       []string      // modules to take out of that level, each with what is below it; at most MaxDeny
	Ceiling    string        // widest level this caller may ask for; empty means the profile's own ceiling
	Profile    string        // profile by name; empty picks the language's default. Root callers only
	StartMode  string        // cold, warm or fork; empty leaves it to the daemon. Root callers only
	Limits     LimitsRequest // what the caller asks for
	Privileged bool          // the caller is root: it may choose a profile
}

// MaxDeny bounds how many modules a request may deny.
const MaxDeny = 100

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
