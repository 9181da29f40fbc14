package link

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// raw is a frame as a hostile broker writes it.
func raw(k byte, length uint32, payload []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{k}, length)
	return append(b, payload...)
}

// whole is a frame whose length is right.
func whole(k kind, payload []byte) []byte { return raw(byte(k), uint32(len(payload)), payload) }

func execute(id uint64, r policy.Request) []byte {
	e := newFrame(kindExecute, 256)
	e.long(id)
	e.bit(false)
	e.request(r)
	return e.frame()
}

func long(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

func TestAHostileBrokerEndsItsConnectionAndNothingElse(t *testing.T) {
	good := execute(1, policy.Request{Caller: uid1000, Language: "py", Code: "1"})
	changed := func(at int, b byte) []byte {
		f := bytes.Clone(good)
		f[at] = b
		return f
	}
	for _, row := range []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"a kind that there is not", whole('!', nil), ErrKind},
		{"a kind of the executor's own", whole(kindResult, long(1)), ErrKind},
		{"a length above the bound", raw(byte(kindExecute), maxRequest+1, nil), ErrBounds},
		{"the largest length there is", raw(byte(kindExecute), 1<<32-1, nil), ErrBounds},
		{"a payload where none may be", whole(kindReady, []byte{1}), ErrBounds},
		{"half a header", []byte{byte(kindExecute), 1}, ErrHalf},
		{"half a payload", good[:len(good)-1], ErrHalf},
		{"a request that is too short", whole(kindExecute, long(1)), ErrMalformed},
		{"a request with bytes left over", whole(kindExecute, append(bytes.Clone(good[headerSize:]), 0)), ErrMalformed},
		{"a bit that is neither", changed(headerSize+maxID, 2), ErrMalformed},
		{"a string longer than the frame", changed(headerSize+maxID+1+9, 255), ErrMalformed},
		{"a caller whose token has a name longer than any", execute(1, policy.Request{Caller: policy.Caller{Token: strings.Repeat("x", policy.MaxTokenName+1)}}), ErrMalformed},
		{"one that has a name of megabytes", execute(1, policy.Request{Caller: policy.Caller{Token: strings.Repeat("x", 3<<20)}}), ErrMalformed},
		{"one that has a name of other bytes", execute(1, policy.Request{Caller: policy.Caller{Token: "ci\n"}}), ErrMalformed},
		{"an id twice", append(bytes.Clone(good), good...), ErrID},
		{"an id that falls", append(execute(7, policy.Request{Caller: uid1000}), good...), ErrID},
		{"the id zero", execute(0, policy.Request{Caller: uid1000}), ErrID},
		{"a cancel of what never was", whole(kindCancel, long(9)), ErrID},
		{"a cancel of the id zero", whole(kindCancel, long(0)), ErrID},
		{"a cancel that is too long", whole(kindCancel, append(long(1), 0)), ErrBounds},
		{"a second report", whole(kindReport, nil), ErrOrder},
		{"ready a second time", append(whole(kindReady, nil), whole(kindReady, nil)...), ErrOrder},
		{"a description with more than an id", whole(kindDescribe, nil), ErrMalformed},
	} {
		t.Run(row.name, func(t *testing.T) {
			ours, theirs := sockets(t)
			_, done := served(t, ours, serverConfig(&engine{}))
			_, err := theirs.Write(row.bytes)
			require.NoError(t, err)
			require.NoError(t, theirs.CloseWrite())
			assert.ErrorIs(t, ends(t, done), row.want)
		})
	}
}

func TestAListIsBoundedInItems(t *testing.T) {
	e := newFrame(kindExecute, 4*maxList)
	e.long(1)
	e.bit(false)
	e.caller(uid1000)
	for range 6 {
		e.text("")
	}
	e.texts(make([]string, maxList+1))
	ours, theirs := sockets(t)
	_, done := served(t, ours, serverConfig(&engine{}))
	_, err := theirs.Write(e.frame())
	require.NoError(t, err)
	assert.ErrorIs(t, ends(t, done), ErrMalformed)
}

func TestGreetingsOfOtherVersionsAndOrders(t *testing.T) {
	report := func(version uint32) []byte {
		e := newFrame(kindReport, 16)
		e.number(version)
		e.text("")
		e.texts(nil)
		return e.frame()
	}
	for _, row := range []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"another version", report(Version + 1), ErrVersion},
		{"no version", whole(kindReport, nil), ErrVersion},
		{"a request before the report", execute(1, policy.Request{}), ErrOrder},
		{"ready before the report", whole(kindReady, nil), ErrOrder},
		{"nothing but the end", nil, io.EOF},
		{"a report above its bound", raw(byte(kindReport), maxReport+1, nil), ErrBounds},
	} {
		t.Run(row.name, func(t *testing.T) {
			ours, theirs := sockets(t)
			s, err := NewServer(ours, serverConfig(&engine{}))
			require.NoError(t, err)
			_, err = theirs.Write(row.bytes)
			require.NoError(t, err)
			require.NoError(t, theirs.CloseWrite())
			_, err = s.Hello([]byte("filter"), patience)
			assert.ErrorIs(t, err, row.want)
		})
	}
}

func TestABrokerThatSaysNothingIsNotWaitedForForEver(t *testing.T) {
	ours, _ := sockets(t)
	s, err := NewServer(ours, serverConfig(&engine{}))
	require.NoError(t, err)
	_, err = s.Hello(nil, 10*time.Millisecond)
	assert.Error(t, err)
}

func TestTenThousandRequestsAreFewRunsAndManyRefusals(t *testing.T) {
	const requests, slots = 10_000, 4
	e := &engine{started: make(chan policy.Request, requests), hold: true}
	cfg := serverConfig(e)
	cfg.InFlight = slots
	ours, theirs := sockets(t)
	_, done := served(t, ours, cfg)
	go func() {
		for id := range uint64(requests) {
			if _, err := theirs.Write(execute(id+1, policy.Request{Caller: uid1000})); err != nil {
				return
			}
		}
	}()
	for range requests - slots {
		k, payload, err := readFrame(theirs, fromExecutor)
		require.NoError(t, err)
		require.Equal(t, kindError, k)
		require.Equal(t, policy.CodeBusy, code(decodeError(payload[maxID:])))
	}
	require.NoError(t, theirs.Close())
	ends(t, done)
	assert.Len(t, e.started, slots)
}

func TestABrokerThatNeverReadsIsEnded(t *testing.T) {
	for _, row := range []struct {
		name string
		cfg  func(*ServerConfig)
		ask  func(id uint64) []byte
	}{
		{"more output than may wait", func(c *ServerConfig) { c.Outstanding, c.WriteTimeout = 1<<20, time.Hour },
			func(id uint64) []byte {
				return execute(id, policy.Request{Caller: uid1000, Code: strings.Repeat("x", 1<<18)})
			}},
		{"a write that takes too long", func(c *ServerConfig) { c.WriteTimeout = 50 * time.Millisecond },
			func(id uint64) []byte {
				return execute(id, policy.Request{Caller: uid1000, Code: strings.Repeat("x", 1<<18)})
			}},
		{"questions without end", func(c *ServerConfig) { c.WriteTimeout = 50 * time.Millisecond },
			func(id uint64) []byte { return whole(kindDescribe, long(id)) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			cfg := serverConfig(&engine{})
			row.cfg(&cfg)
			ours, theirs := sockets(t)
			_, done := served(t, ours, cfg)
			go func() {
				for id := uint64(1); ; id++ {
					if _, err := theirs.Write(row.ask(id)); err != nil {
						return
					}
				}
			}()
			assert.ErrorIs(t, ends(t, done), ErrNotRead)
		})
	}
}

func TestWhoseWordCountsForWhat(t *testing.T) {
	e := &engine{result: func(r policy.Request) (*policy.Result, error) { return &policy.Result{}, resolve(r) }}
	c, _, _ := linked(t, serverConfig(e))
	root := policy.Caller{Local: true}
	for _, row := range []struct {
		name string
		req  policy.Request
		want policy.Code
	}{
		{"a caller within his ceiling", policy.Request{Caller: uid1000, Level: "strict"}, ""},
		{"a level above the ceiling", policy.Request{Caller: uid1000, Level: "relaxed"}, policy.CodeForbidden},
		{"a ceiling that the broker would like", policy.Request{Caller: uid1000, Level: "relaxed", Ceiling: "relaxed"}, policy.CodeForbidden},
		{"a privilege that it would like", policy.Request{Caller: uid1000, Profile: "python-full", Privileged: true}, policy.CodeForbidden},
		{"a start mode of who is not root", policy.Request{Caller: uid1000, StartMode: "cold"}, policy.CodeForbidden},
		{"the holder of a token named root", policy.Request{Caller: policy.Caller{Token: "root"}, Profile: "x"}, policy.CodeForbidden},
		{"nobody", policy.Request{}, policy.CodeForbidden},
		{"root, as far as the operator lets him", policy.Request{Caller: root, Level: "relaxed", Profile: "x"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, code(c.Resolve(t.Context(), row.req)))
			_, err := c.Execute(t.Context(), row.req)
			assert.Equal(t, row.want, code(err))
		})
	}
}

func TestWhatIsOursStaysHere(t *testing.T) {
	var log bytes.Buffer
	most, least := int64(5), int64(1)
	said := &policy.Error{
		Code: policy.CodeTooLarge, Message: "too large", Field: "code", Value: json.RawMessage("9"), Maximum: &most, Step: "s",
		Err: fmt.Errorf("a path of the host"),
	}
	for _, row := range []struct {
		name string
		err  error
		want *policy.Error
	}{
		{"what may be shown is shown, its cause is not", said,
			&policy.Error{Code: policy.CodeTooLarge, Message: "too large", Field: "code", Value: json.RawMessage("9"), Maximum: &most, Step: "s"}},
		{"a minimum is shown, too", policy.TooSmall("limits.timeout_ms", 0, 1),
			&policy.Error{Code: policy.CodeInvalid, Message: "limits.timeout_ms is 0, the minimum is 1", Predicate: "is 0, the minimum is 1", Field: "limits.timeout_ms", Value: json.RawMessage("0"), Minimum: &least}},
		{"what is no error of policy has no words", fmt.Errorf("a path of the host"), &policy.Error{Code: policy.CodeInternal}},
		{"one that is wrapped", fmt.Errorf("a path of the host: %w", policy.Invalid("f", "m")), policy.Invalid("f", "m")},
		{"a value that cannot be encoded", &policy.Error{Code: policy.CodeInvalid, Message: "m", Value: json.RawMessage("{")}, &policy.Error{Code: policy.CodeInvalid, Message: "m"}},
		{"a message without end", &policy.Error{Code: policy.CodeInvalid, Message: strings.Repeat("m", maxError)}, &policy.Error{Code: policy.CodeInvalid}},
	} {
		t.Run(row.name, func(t *testing.T) {
			cfg := serverConfig(&engine{result: func(policy.Request) (*policy.Result, error) { return nil, row.err }})
			cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
			c, _, _ := linked(t, cfg)
			_, err := c.Execute(t.Context(), policy.Request{Caller: uid1000})
			assert.Equal(t, row.want, err)
		})
	}
	assert.Contains(t, log.String(), "a path of the host")
}

func TestAnEngineThatPanicsIsAnErrorOfOneRun(t *testing.T) {
	c, _, _ := linked(t, serverConfig(&engine{result: func(policy.Request) (*policy.Result, error) { panic("x") }}))
	for range 2 {
		_, err := c.Execute(t.Context(), policy.Request{Caller: uid1000})
		assert.Equal(t, policy.CodeInternal, code(err))
	}
}

func TestARequestThatNoFrameHoldsIsRefusedAtHome(t *testing.T) {
	c, _, _ := linked(t, serverConfig(&engine{}))
	for _, req := range []policy.Request{
		{Caller: uid1000, Code: strings.Repeat("x", maxRequest)},
		{Caller: uid1000, Deny: make([]string, maxList+1)},
	} {
		_, err := c.Execute(context.Background(), req)
		assert.Equal(t, policy.CodeTooLarge, code(err))
	}
	_, err := c.Execute(t.Context(), policy.Request{Caller: uid1000})
	assert.NoError(t, err, "the connection lives on")
}
