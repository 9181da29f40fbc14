package link

import (
	"encoding/json"
	"errors"
	"math"

	"safe-exec/policy"
)

// resultFrame carries a result: the texts that the program chose as they are,
// which may be long, the numbers, and the rest as JSON.
func resultFrame(id uint64, r *policy.Result, memo *layersMemo) ([]byte, error) {
	rest := restOf(r)
	layers, err := memo.encode(r.Layers)
	if err != nil {
		return nil, err
	}
	rest.Files = make([]policy.File, len(r.Files))
	long := len(layers) + len(r.Stdout) + len(r.Stderr)
	for i, f := range r.Files {
		long += len(f.Text) + len(f.Content) + 8
		f.Text, f.Content = "", nil
		rest.Files[i] = f
	}
	text, err := json.Marshal(rest)
	if err != nil {
		return nil, err
	}
	e := newFrame(kindResult, long+len(text)+512)
	e.long(id)
	e.number(uint32(len(r.Files)))
	e.text(layers)
	e.text(r.Stdout)
	e.text(r.Stderr)
	for _, f := range r.Files {
		e.text(f.Text)
		e.bytes(f.Content)
	}
	for _, n := range integers(r) {
		e.long(uint64(*n))
	}
	for _, n := range floats(r) {
		e.long(math.Float64bits(*n))
	}
	e.buf = append(e.buf, text...)
	if len(e.buf) > maxResult {
		return nil, errors.New("link: the result is larger than any frame")
	}
	return e.frame(), nil
}

// decodeResult is the reverse, of the payload behind the id. The JSON value that
// the program printed is looked for here, on the side without privilege.
func decodeResult(payload []byte, memo *layersMemo) (*policy.Result, error) {
	d := &decoder{buf: payload}
	files := d.count()
	layers, stdout, stderr := d.text(), d.text(), d.text()
	type content struct {
		text  string
		bytes []byte
	}
	contents := make([]content, files)
	for i := range contents {
		contents[i] = content{d.text(), d.bytes()}
	}
	var numbers policy.Result
	for _, n := range integers(&numbers) {
		*n = int64(d.long())
	}
	for _, n := range floats(&numbers) {
		*n = math.Float64frombits(d.long())
	}
	if d.err != nil {
		return nil, d.err
	}
	var rest rest
	if err := json.Unmarshal(d.buf, &rest); err != nil {
		return nil, err
	}
	r := rest.result()
	r.LimitsApplied = numbers.LimitsApplied
	numbers.Metrics.StartMode = r.Metrics.StartMode
	r.Metrics = numbers.Metrics
	if len(r.Files) != files {
		return nil, ErrMalformed
	}
	var err error
	if r.Layers, err = memo.decode(layers); err != nil {
		return nil, err
	}
	r.Stdout, r.Stderr = stdout, stderr
	for i, c := range contents {
		r.Files[i].Text = c.text
		if len(c.bytes) > 0 {
			r.Files[i].Content = c.bytes
		}
	}
	r.ResultJSON = policy.ResultJSON(r.Stdout, r.StdoutTruncated)
	return r, nil
}

func jsonFrame(k kind, id uint64, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(text) > maxJSON-maxID {
		return nil, errors.New("link: the answer is larger than any frame")
	}
	e := newFrame(k, len(text)+maxID)
	e.long(id)
	e.buf = append(e.buf, text...)
	return e.frame(), nil
}

// errorFrame carries what may be shown of an error: its cause stays here.
func errorFrame(id uint64, err error) []byte {
	e := *policy.ErrorOf(err)
	text, bad := json.Marshal(e)
	if bad != nil || len(text) > maxError-maxID {
		e.Value = nil // whatever it is, it is shown only where that helps
		text, bad = json.Marshal(e)
	}
	if bad != nil || len(text) > maxError-maxID {
		text, _ = json.Marshal(policy.Error{Code: e.Code}) // two strings can always be encoded
	}
	out := newFrame(kindError, len(text)+maxID)
	out.long(id)
	out.buf = append(out.buf, text...)
	return out.frame()
}

func decodeError(payload []byte) error {
	e := new(policy.Error)
	if err := json.Unmarshal(payload, e); err != nil {
		return err
	}
	return e
}

// eventKinds are the kinds of events as their one byte.
var eventKinds = []policy.EventKind{policy.EventStarted, policy.EventStdout, policy.EventStderr, policy.EventDenial}

func eventFrame(id uint64, e policy.Event) []byte {
	out := newFrame(kindEvent, len(e.Data)+len(e.Syscall)+maxID+9)
	out.long(id)
	for i, k := range eventKinds {
		if k == e.Kind {
			out.buf = append(out.buf, byte(i))
		}
	}
	out.bytes(e.Data)
	out.text(e.Syscall)
	return out.frame()
}

func decodeEvent(payload []byte) (policy.Event, error) {
	d := &decoder{buf: payload}
	var e policy.Event
	if b := d.take(1); b != nil {
		if int(b[0]) >= len(eventKinds) {
			return e, ErrMalformed
		}
		e.Kind = eventKinds[b[0]]
	}
	if data := d.bytes(); len(data) > 0 {
		e.Data = data
	}
	e.Syscall = d.text()
	return e, d.done()
}
