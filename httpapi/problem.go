package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"safe-exec/policy"
)

// ProblemType is the media type of an error reply, from RFC 9457.
const ProblemType = "application/problem+json"

const problemURN = "urn:safe-exec:problem:"

// Problem is an error reply: an RFC 9457 document. Type, title, status,
// detail and code are always there, the rest where it applies.
type Problem struct {
	Type       string          `json:"type"` // urn:safe-exec:problem:<code>
	Title      string          `json:"title"`
	Status     int             `json:"status"`
	Detail     string          `json:"detail"` // one sentence for the caller
	Code       policy.Code     `json:"code"`
	Field      string          `json:"field,omitempty"`       // the part of the request to blame: limits.timeout_ms
	Predicate  string          `json:"predicate,omitempty"`   // detail behind the name of field, where it begins with that
	Value      json.RawMessage `json:"value,omitempty"`       // what the field held
	Maximum    *int64          `json:"maximum,omitempty"`     // the ceiling that was passed
	Minimum    *int64          `json:"minimum,omitempty"`     // what the value fell short of
	Unit       string          `json:"unit,omitempty"`        // of maximum and minimum, where the field's name has none: s
	Step       string          `json:"step,omitempty"`        // setup_error, unavailable: the step that failed
	Reason     string          `json:"reason,omitempty"`      // busy: what was full
	RetryAfter int64           `json:"retry_after,omitempty"` // busy: seconds, as in the Retry-After header
	RequestID  string          `json:"request_id,omitempty"`  // as in the X-Request-Id header and the log
}

// codes is the one place where a policy.Code meets HTTP. Of two codes with the
// same status the first is what the status alone is read back as. A code, and so a
// type, has one title whatever the status: RFC 9457, section 3.1.3.
var codes = []struct {
	code   policy.Code
	status int
	title  string
}{
	{policy.CodeInvalid, http.StatusUnprocessableEntity, "The request is not valid"},
	{policy.CodeTooLarge, http.StatusUnprocessableEntity, "A value is over its maximum"},
	{policy.CodeForbidden, http.StatusForbidden, "This caller may not ask for that"},
	{policy.CodeNotFound, http.StatusNotFound, "There is no such thing"},
	{policy.CodeConflict, http.StatusConflict, "The state does not allow that"},
	{policy.CodeBusy, http.StatusTooManyRequests, "There is no room now"},
	{policy.CodeUnavailable, http.StatusServiceUnavailable, "The daemon takes no work"},
	{policy.CodeSetup, http.StatusServiceUnavailable, "The jail could not be set up"},
	{policy.CodeInternal, http.StatusInternalServerError, "The daemon failed"},
}

func titleOf(code policy.Code) string {
	for _, c := range codes {
		if c.code == code {
			return c.title
		}
	}
	return ""
}

// refusal is an error with a status of its own, where the code's status says
// too little: 400, 405, 413 and 415 are all "invalid" or "too large".
type refusal struct {
	status int
	allow  []string // 405: the methods that would do
	retry  int64    // 429: seconds until it is worth another try
	cause  *policy.Error
}

func (r *refusal) Error() string { return r.cause.Error() }
func (r *refusal) Unwrap() error { return r.cause }

// malformed is policy.Invalid for what cannot be read, which is 400: a value of another
// kind than the field's. What can be read and is not allowed is 422.
func malformed(field, predicate string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, cause: policy.Invalid(field, predicate, args...)}
}

// unreadable is policy.InvalidAt likewise: text that is no JSON, a name that there is not.
func unreadable(field, message string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, cause: policy.InvalidAt(field, message, args...)}
}

// ProblemOf turns any error into the document to show. What is no
// *policy.Error is our fault, and its text stays in the log.
func ProblemOf(err error) Problem {
	e := policy.ErrorOf(err)
	p := Problem{
		Code: e.Code, Detail: e.Message, Field: e.Field, Predicate: e.Predicate, Value: e.Value,
		Maximum: e.Maximum, Minimum: e.Minimum, Unit: e.Unit, Step: e.Step, Reason: e.Reason,
	}
	known := false
	for _, c := range codes {
		if c.code == e.Code {
			p.Status, p.Title, known = c.status, c.title, true
		}
	}
	if !known || e.Code == policy.CodeInternal {
		p = Problem{Code: policy.CodeInternal, Status: http.StatusInternalServerError, Title: titleOf(policy.CodeInternal)}
	}
	if p.Detail == "" {
		p.Detail = p.Title + "."
		if p.Code == policy.CodeInternal {
			p.Detail = "The daemon failed; its log has the cause under this request id."
		}
	}
	p.Type = problemURN + string(p.Code)
	var r *refusal
	if errors.As(err, &r) && known {
		p.Status = r.status
	}
	if p.Code == policy.CodeBusy {
		p.RetryAfter = retrySeconds(0)
		if r != nil {
			p.RetryAfter = max(p.RetryAfter, r.retry)
		}
		if p.Reason == "" {
			p.Reason = string(BusyExecutorFull)
		}
	}
	return p
}

// Err turns a reply of status and document back into the error it was made
// from. A reply that is no problem document (a proxy's, say) has no code; then
// the status decides.
func (p Problem) Err(status int) *policy.Error {
	code := policy.Code("")
	for _, c := range codes {
		if c.code == p.Code {
			code = p.Code
			break
		}
	}
	if code == "" {
		code = codeOfStatus(status)
	}
	e := &policy.Error{
		Code: code, Message: p.Detail, Field: p.Field, Predicate: p.Predicate, Value: p.Value,
		Maximum: p.Maximum, Minimum: p.Minimum, Unit: p.Unit, Step: p.Step, Reason: p.Reason,
	}
	if e.Message == "" {
		e.Message = "the daemon answered " + strings.ToLower(http.StatusText(status))
	}
	return e
}

func codeOfStatus(status int) policy.Code {
	for _, c := range codes {
		if c.status == status {
			return c.code
		}
	}
	switch {
	case status == http.StatusRequestEntityTooLarge:
		return policy.CodeTooLarge
	case status >= 400 && status < 500:
		return policy.CodeInvalid
	}
	return policy.CodeInternal
}
