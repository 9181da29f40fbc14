package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"safe-exec/httpapi/events"
	"safe-exec/policy"
)

// stored is a request without its hearer, which is no data.
type stored struct {
	policy.Request
	Watch *struct{} `json:",omitempty"` // hides the embedded one
}

func encodeRequest(r policy.Request) ([]byte, error) {
	body, err := json.Marshal(stored{Request: r})
	if err != nil {
		return nil, &policy.Error{Code: policy.CodeInternal, Err: fmt.Errorf("encode request: %w", err)}
	}
	if len(body) > MaxRequestBytes {
		most := int64(MaxRequestBytes)
		return nil, &policy.Error{Code: policy.CodeTooLarge, Maximum: &most, Message: "the request is too large to be kept as a job"}
	}
	return body, nil
}

func decodeRequest(body []byte) (policy.Request, error) {
	var s stored
	err := decode(body, MaxRequestBytes, &s)
	if err == nil && s.Watch != nil {
		err = errors.New("a hearer is no data")
	}
	if err != nil {
		return policy.Request{}, fmt.Errorf("stored request: %w", err)
	}
	return s.Request, nil
}

// verdict is the stored form of how a job ended: by a result or by our failure.
type verdict struct {
	Result *policy.Result `json:"result,omitempty"`
	Error  *policy.Error  `json:"error,omitempty"`
	Last   string         `json:"last,omitempty"` // id of the last event that readers were told
}

func encodeVerdict(result *policy.Result, failed error, last events.ID) (Verdict, error) {
	v, status := verdict{Result: result, Last: last.String()}, policy.Errored
	if failed != nil {
		v.Result, v.Error = nil, policy.ErrorOf(failed)
	} else {
		status = result.Status
	}
	body, err := json.Marshal(v)
	switch {
	case err != nil:
		return Verdict{}, fmt.Errorf("encode verdict: %w", err)
	case len(body) > MaxVerdictBytes:
		return Verdict{}, fmt.Errorf("encode verdict: %d bytes are over the maximum of %d", len(body), MaxVerdictBytes)
	case !Ended(status):
		return Verdict{}, fmt.Errorf("encode verdict: %q is no end of a job", status)
	}
	return Verdict{Status: status, Body: body}, nil
}

// decodeVerdict reads a stored verdict, which must be one of that status.
func decodeVerdict(status policy.Status, body []byte) (v verdict, last events.ID, err error) {
	if err = decode(body, MaxVerdictBytes, &v); err == nil {
		last, err = events.ParseID(v.Last)
	}
	switch {
	case err != nil:
	case (v.Result == nil) == (v.Error == nil):
		err = errors.New("neither or both of result and error")
	case v.Result != nil && v.Result.Status != status, v.Error != nil && status != policy.Errored:
		err = errors.New("not of the job's status")
	}
	if err != nil {
		return verdict{}, events.ID{}, fmt.Errorf("stored verdict: %w", err)
	}
	return v, last, nil
}

// shown is a verdict whose result is left as it is: to show it, nothing of it needs
// to be known but how it ended.
type shown struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *policy.Error   `json:"error,omitempty"`
	Last   string          `json:"last,omitempty"`
}

// showVerdict is decodeVerdict for who passes the result on.
func showVerdict(status policy.Status, body []byte) (v shown, err error) {
	if err = json.Unmarshal(body, &v); err == nil && v.Result != nil {
		var is struct {
			Status policy.Status `json:"status"`
		}
		if err = json.Unmarshal(v.Result, &is); err == nil && is.Status != status {
			err = errors.New("not of the job's status")
		}
	}
	switch {
	case err != nil:
	case (v.Result == nil) == (v.Error == nil):
		err = errors.New("neither or both of result and error")
	case v.Error != nil && status != policy.Errored:
		err = errors.New("not of the job's status")
	}
	if err != nil {
		return shown{}, fmt.Errorf("stored verdict: %w", err)
	}
	return v, nil
}

// decode takes one JSON value of known fields, and nothing behind it.
func decode(body []byte, most int, into any) error {
	if len(body) > most {
		return fmt.Errorf("%d bytes are over the maximum of %d", len(body), most)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("text behind the value")
	}
	return nil
}

// Ended says whether a job of this status has ended.
func Ended(s policy.Status) bool {
	switch s {
	case policy.Succeeded, policy.Failed, policy.TimedOut, policy.Rejected, policy.Cancelled, policy.Errored:
		return true
	case policy.Queued, policy.Running:
	}
	return false
}
