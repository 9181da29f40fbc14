package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

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
// machine, a sentence for the person, and the cause for the operator's log. Its JSON
// is what crosses from process to process and what is kept of a job that failed.
type Error struct {
	Code      Code            `json:"code"`
	Message   string          `json:"message"`             // one sentence, safe to show to the caller
	Field     string          `json:"field,omitempty"`     // the request's field, as the API names it: limits.timeout_ms
	Predicate string          `json:"predicate,omitempty"` // the rest of Message, if Message begins with the name of Field: a client can put its own name before it
	Value     json.RawMessage `json:"value,omitempty"`     // what the field held, where that helps; as JSON, in which no number loses a digit
	Maximum   *int64          `json:"maximum,omitempty"`   // the ceiling that was passed, if one was
	Minimum   *int64          `json:"minimum,omitempty"`   // what the value fell short of, if it did
	Unit      string          `json:"unit,omitempty"`      // of Maximum and Minimum, where the field's name has none
	Step      string          `json:"step,omitempty"`      // CodeSetup, CodeUnavailable: the step that failed, if it was one
	Reason    string          `json:"reason,omitempty"`    // CodeBusy: what was full
	Err       error           `json:"-"`                   // internal cause: logged, never shown
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

// ErrorOf finds the Error in err. What has none is our own failure, and its words are
// for the log alone.
func ErrorOf(err error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Code: CodeInternal, Err: err}
	}
	return e
}

// Blame makes an error about one field of the request. predicate is the message behind
// the field's name: "is empty", or ": a path has no component ..".
func Blame(code Code, field, predicate string, args ...any) *Error {
	predicate = fmt.Sprintf(predicate, args...)
	return &Error{Code: code, Field: field, Predicate: predicate, Message: Sentence(field, predicate)}
}

// Sentence is the message of an Error for a person who knows its field by this name.
func Sentence(name, predicate string) string {
	if strings.HasPrefix(predicate, ":") {
		return name + predicate
	}
	return name + " " + predicate
}

// With adds what the field held.
func (e *Error) With(value any) *Error {
	e.Value, _ = json.Marshal(value) // a string or a number always has a JSON form
	return e
}

// Invalid is Blame with CodeInvalid.
func Invalid(field, predicate string, args ...any) *Error {
	return Blame(CodeInvalid, field, predicate, args...)
}

// InvalidAt is Invalid with a whole message, which does not begin with the field's name.
func InvalidAt(field, message string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Field: field, Message: fmt.Sprintf(message, args...)}
}

// TooLarge blames a field for being over a maximum. predicate takes the two numbers:
// "has %d entries, the maximum is %d".
func TooLarge[N int | int64](field string, value, most N, predicate string) *Error {
	e := Blame(CodeTooLarge, field, predicate, value, most).With(value)
	maximum := int64(most)
	e.Maximum = &maximum
	return e
}

// TooSmall blames a number, in the field's own unit, for being below its minimum.
func TooSmall(field string, value, least int64) *Error {
	e := Invalid(field, "is %d, the minimum is %d", value, least).With(value)
	e.Minimum = &least
	return e
}
