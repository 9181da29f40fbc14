package link

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/internal/filled"
	"safe-exec/policy"
)

// some is a random value of each kind that a request is made of.
type some struct{ *rand.Rand }

func (r some) text() string {
	b := make([]byte, r.IntN(12))
	for i := range b {
		b[i] = byte(r.IntN(256)) // what is no UTF-8 crosses as it is
	}
	return string(b)
}

func (r some) list() (list []string) {
	for range r.IntN(4) {
		list = append(list, r.text())
	}
	return list
}

func (r some) number() *int64 {
	if r.IntN(2) == 0 {
		return nil
	}
	v := int64(r.Uint64())
	return &v
}

func (r some) request() policy.Request {
	q := policy.Request{
		Language: r.text(), Code: r.text(), Level: r.text(), Deny: r.list(), Profile: r.text(), StartMode: r.text(),
		Limits: policy.LimitsRequest{TimeoutMS: r.number(), MaxMemoryMB: r.number(), MaxStdoutBytes: r.number(), MaxStderrBytes: r.number()},
		Input:  policy.Input{Stdin: r.text(), Args: r.list()}, Collect: r.list(),
	}
	if r.IntN(2) == 0 {
		q.Caller = policy.Caller{Local: true, UID: r.Uint32(), GID: r.Uint32()}
	} else {
		q.Caller = policy.Caller{Token: "ci"[:r.IntN(3)]} // the empty one is nobody's
	}
	if q.Collect == nil && r.IntN(2) == 0 {
		q.Collect = []string{}
	}
	for range r.IntN(3) {
		if q.Input.Env == nil {
			q.Input.Env = map[string]string{}
		}
		q.Input.Env[r.text()] = r.text()
		q.Input.Files = append(q.Input.Files, policy.InputFile{Path: r.text(), Content: []byte(r.text())})
	}
	return q
}

func (r some) result() policy.Result {
	code := r.IntN(256)
	q := policy.Result{
		Status: policy.Failed, ExecutionID: "ex_1", Stdout: r.text(), Stderr: r.text(), ExitCode: &code, StdoutTruncated: r.IntN(2) == 0,
		Denials: []policy.Denial{{Syscall: "socket", Count: r.Int64()}}, Violations: []policy.Violation{}, Files: []policy.File{},
		FilesSkipped: []policy.SkippedFile{}, Layers: []policy.Layer{{Name: "seccomp", State: "enforced"}}, PolicyDeny: []string{},
		Termination: policy.Termination{Reason: policy.ReasonException, Observed: r.number(), Evidence: []policy.Evidence{{Source: "wait", Name: "exit_status", Value: "90"}}},
		Metrics:     policy.Metrics{ExecutionTimeMS: 1.234, PeakMemoryBytes: r.Int64(), StartMode: "fork", Attempt: 1},
	}
	for range r.IntN(3) {
		f := policy.File{Path: "a", Size: 3, SHA256: "x", Text: r.text()}
		if b := []byte(r.text()); len(b) > 0 {
			f.Text, f.Content = "", b
		}
		q.Files = append(q.Files, f)
	}
	q.ResultJSON = policy.ResultJSON(q.Stdout, q.StdoutTruncated)
	return q
}

func TestWhateverIsAskedArrivesAsItWas(t *testing.T) {
	r := some{rand.New(rand.NewPCG(1, 2))}
	for range 2000 {
		want := r.request()
		e := newFrame(kindExecute, 0)
		e.request(want)
		payload := e.frame()[headerSize:]
		require.LessOrEqual(t, len(payload), size(want), "size says how much room there must be")
		d := &decoder{buf: payload}
		got := d.request()
		require.NoError(t, d.done())
		require.Equal(t, want, normal(got))
		for _, n := range []int{r.IntN(len(payload)), len(payload) - 1} { // less than all of it is nothing
			d := &decoder{buf: payload[:n]}
			d.request()
			require.ErrorIs(t, d.done(), ErrMalformed)
		}
	}
}

// normal makes no difference between an empty file and none, as Go does.
func normal(r policy.Request) policy.Request {
	for i, f := range r.Input.Files {
		if len(f.Content) == 0 {
			r.Input.Files[i].Content = []byte{}
		}
	}
	return r
}

func TestWhateverIsAnsweredArrivesAsItWas(t *testing.T) {
	r := some{rand.New(rand.NewPCG(3, 4))}
	for range 500 {
		want := r.result()
		var ours, theirs layersMemo
		frame, err := resultFrame(7, &want, &ours)
		require.NoError(t, err)
		got, err := decodeResult(frame[headerSize+maxID:], &theirs)
		require.NoError(t, err)
		require.Equal(t, &want, got)
	}
	whole := filled.Value[policy.Result]()
	whole.ResultJSON, whole.Files[0].Content = policy.ResultJSON(whole.Stdout, true), nil
	frame, err := resultFrame(7, &whole, new(layersMemo))
	require.NoError(t, err)
	got, err := decodeResult(frame[headerSize+maxID:], new(layersMemo))
	require.NoError(t, err)
	assert.Equal(t, &whole, got, "no field stays behind")
	failed := filled.Value[policy.Error]()
	assert.Equal(t, &failed, decodeError(errorFrame(7, &failed)[headerSize+maxID:]), "no field stays behind")
	for _, want := range []policy.Event{
		{Kind: policy.EventStarted}, {Kind: policy.EventStdout, Data: []byte("\xff\x00")}, {Kind: policy.EventDenial, Syscall: "socket"},
	} {
		got, err := decodeEvent(eventFrame(1, want)[headerSize+maxID:])
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// BenchmarkHello is what a run pays for crossing: a small result with the layers
// of a real one.
func BenchmarkHello(b *testing.B) {
	result := some{rand.New(rand.NewPCG(7, 8))}.result()
	for range 16 {
		result.Layers = append(result.Layers, policy.Layer{Name: "user_namespace", State: "enforced", Detail: "own uids, mapped by the daemon"})
	}
	c, _, _ := linked(b, serverConfig(&engine{result: func(policy.Request) (*policy.Result, error) { return &result, nil }}))
	req := policy.Request{Language: "python", Code: "print('hello')", Caller: uid1000}
	for b.Loop() {
		if _, err := c.Execute(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}
