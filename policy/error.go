package policy

import "fmt"

// Code classifies an error for machines.
type Code string

const (
	CodeInvalid     Code = "invalid"   // the request is wrong; Field says where
	CodeTooLarge    Code = "too_large" // over a size or a ceiling
	CodeForbidden   Code = "forbidden" // this caller may not ask for it
	CodeNotFound    Code = "not_found"
	CodeConflict    Code = "conflict"
	CodeBusy        Code = "busy"        // no slot free; try again later
	CodeSetup       Code = "setup_error" // a jail could not be made or proved
	CodeUnavailable Code = "unavailable" // shutting down
	CodeInternal    Code = "internal"
)

// Error is the one error type that crosses package borders: a code for the
// machine, a sentence for the person, and the cause for the operator's log.
type Error struct {
	Code    Code
	Message string // one sentence, safe to show to the caller
	Field   string // the request's field, as the API names it: limits.timeout_ms
	Value   any    // what the field held, where that helps
	Maximum *int64 // the ceiling that was passed, if one was
	Minimum *int64 // what the value fell short of, if it did
	Step    string // CodeSetup, CodeUnavailable: the step that failed, if it was one
	Reason  string // CodeBusy: what was full
	Err     error  // internal cause: logged, never shown
}

func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.Step != "" {
		s = fmt.Sprintf("%s (step %s)", s, e.Step)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Shown is the error without its cause, which may name paths: for where that has been
// logged already.
func (e *Error) Shown() *Error {
	shown := *e
	shown.Err = nil
	return &shown
}

// Invalid makes an error that blames one field of the request.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// TooSmall makes an error that blames a number, in the field's own unit, for being
// below its minimum.
func TooSmall(field string, value, least int64) *Error {
	return &Error{
		Code: CodeInvalid, Field: field, Value: value, Minimum: &least,
		Message: fmt.Sprintf("%s is %d, the minimum is %d", field, value, least),
	}
}
