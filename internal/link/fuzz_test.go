package link

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

// known are the ways in which a connection may end.
var known = []error{ErrKind, ErrBounds, ErrHalf, ErrOrder, ErrID, ErrMalformed, ErrNotRead, net.ErrClosed, io.EOF}

func isKnown(err error) bool {
	for _, k := range known {
		if errors.Is(err, k) {
			return true
		}
	}
	return err == nil
}

// broker plays the bytes to a server.
func broker(t testing.TB, b []byte) {
	ours, theirs := sockets(t)
	cfg := serverConfig(&engine{})
	cfg.InFlight = 2
	_, done := served(t, ours, cfg)
	go func() { _, _ = io.Copy(io.Discard, theirs) }()
	_, _ = theirs.Write(b) // it may be ended in the middle
	_ = theirs.CloseWrite()
	err := ends(t, done)
	assert.True(t, isKnown(err), "%v", err)
	theirs.Close()
}

// executor plays the bytes to a client that waits for an answer of each kind.
func executor(t testing.TB, b []byte) {
	ours, theirs := sockets(t)
	c := NewClient(theirs)
	ended := make(chan error, 1)
	go func() { ended <- c.Run() }()
	asked := make(chan struct{}, 4)
	req := policy.Request{Caller: uid1000, Watch: func(policy.Event) {}}
	for _, ask := range []func(){
		func() { _, _ = c.Execute(t.Context(), req) },
		func() { _, _ = c.CheckProgram(t.Context(), req) },
		func() { _ = c.Resolve(t.Context(), req) },
		func() { var v any; _ = c.Describe(t.Context(), &v) },
	} {
		go func() { ask(); asked <- struct{}{} }()
	}
	for range 4 {
		_, _, _ = readFrame(ours, fromBroker)
	}
	_, _ = ours.Write(b)
	ours.Close()
	<-ended
	for range 4 {
		<-asked
	}
}

func FuzzServer(f *testing.F) {
	f.Add(execute(1, policy.Request{Caller: uid1000, Code: "x", Input: policy.Input{Env: map[string]string{"A": "b"}, Files: []policy.InputFile{{Path: "a"}}}}))
	f.Add(execute(1, policy.Request{Caller: policy.Caller{Token: "ci"}}))
	f.Add(append(whole(kindReady, nil), whole(kindDescribe, long(1))...))
	f.Add(append(execute(1, policy.Request{}), whole(kindCancel, long(1))...))
	f.Fuzz(func(t *testing.T, b []byte) { broker(t, b) })
}

func FuzzClient(f *testing.F) {
	for _, b := range answers() {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { executor(t, b) })
}

// answers are one of each kind.
func answers() [][]byte {
	result, _ := resultFrame(1, &policy.Result{Stdout: "x", Files: []policy.File{{Path: "a", Text: "b"}}}, new(layersMemo))
	checked, _ := jsonFrame(kindChecked, 2, policy.CheckResult{})
	description, _ := jsonFrame(kindDescription, 4, 1)
	return [][]byte{
		result, checked, description, whole(kindResolved, long(3)), errorFrame(2, policy.Invalid("a", "b")),
		eventFrame(1, policy.Event{Kind: policy.EventStdout, Data: []byte("x")}), whole(kindDrain, nil),
	}
}

// TestFuzzBriefly is the short form of both: frames with some bytes changed.
func TestFuzzBriefly(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	good := [][]byte{
		execute(1, policy.Request{Caller: uid1000, Code: "x", Deny: []string{"a"}, Input: policy.Input{Env: map[string]string{"A": "b"}}}),
		whole(kindDescribe, long(2)), whole(kindCancel, long(1)), whole(kindReady, nil),
	}
	for _, side := range []struct {
		frames [][]byte
		play   func(testing.TB, []byte)
	}{{good, broker}, {answers(), executor}} {
		for range 400 {
			var b []byte
			for range 1 + r.IntN(4) {
				b = append(b, side.frames[r.IntN(len(side.frames))]...)
			}
			for range r.IntN(4) {
				b[r.IntN(len(b))] = byte(r.IntN(256))
			}
			side.play(t, b[:len(b)-r.IntN(2)])
		}
	}
}
