package wire

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

var setup = Setup{
	Image: "python", LandlockABI: 7, ReadRoots: []string{"/usr", "/etc"}, TmpBytes: 1 << 26, TmpInodes: 4096,
	UnshareCgroup: true, Rlimits: []Rlimit{{4, 0}, {7, 256}}, Argv: []string{"/usr/bin/python3.11", "-I"},
	Env: []string{"HOME=/tmp"}, StartupFilter: "\x06\x00", InitFilter: "\x00", Template: true, Skip: []string{"landlock"},
}

func TestMessagesSurviveTheWire(t *testing.T) {
	s, err := DecodeSetup(setup.Encode())
	require.NoError(t, err)
	assert.Equal(t, setup, s)

	event := Event{Kind: EventExited, Step: "exec", Errno: 2, Status: 0x8b, FreeBytes: 1 << 40, FreeInodes: 9}
	e, err := DecodeEvent(event.Encode())
	require.NoError(t, err)
	assert.Equal(t, event, e)

	request := Request{Kind: RequestSpawn, Names: []string{"a"}, InitUID: 1_900_000_000, PayloadUID: 1_900_000_001, CgroupV2: true,
		Template: true, FirstUID: 1_899_999_000, UIDs: 4096, TemplateGID: 1_899_998_000}
	r, err := DecodeRequest(request.Encode())
	require.NoError(t, err)
	assert.Equal(t, request, r)
}

func TestMalformedMessagesAreRefused(t *testing.T) {
	whole := setup.Encode()
	for n := range len(whole) {
		_, err := DecodeSetup(whole[:n])
		require.ErrorIs(t, err, ErrMalformed, "a message cut after %d bytes", n)
	}
	_, err := DecodeSetup(append(whole, 0))
	require.ErrorIs(t, err, ErrMalformed, "bytes left over")
	_, err = DecodeEvent(Event{Kind: 9}.Encode())
	require.ErrorIs(t, err, ErrMalformed, "an unknown kind")
	_, err = DecodeViolations(nil)
	require.ErrorIs(t, err, ErrMalformed, "a refusal without a violation")
	_, _, err = DecodeImports(nil)
	require.ErrorIs(t, err, ErrMalformed, "imports that are not counted")
	_, _, err = DecodeImports([]byte{1, 0, 0, 0, 1, 0, 0, 0})
	require.ErrorIs(t, err, ErrMalformed, "an import that is cut short")
	_, _, err = DecodeImports([]byte{0, 0, 0, 0, 1, 0, 0, 0, 'x'})
	require.ErrorIs(t, err, ErrMalformed, "more imports than are counted")
}

func TestAJobSaysAllThatTheHarnessNeeds(t *testing.T) {
	for _, row := range []struct {
		name string
		job  Job
		want []string
	}{
		{"a run under lists", Job{Imports: []string{"a", "b.c"}, BlockedImports: []string{"os"}, BlockedNames: []string{"open"}, ConstantNames: []string{"getattr", "setattr"}, Code: "x"},
			[]string{"3", "run", "restricted", "a\nb.c", "os", "open", "getattr\nsetattr", "x"}},
		{"a check without lists", Job{CheckOnly: true, Unrestricted: true, Code: "x\ny"},
			[]string{"3", "check", "unrestricted", "", "", "", "", "x\ny"}},
		{"a run with all that a program can get", Job{Code: "x", Stdin: "a\x00\xff", Args: []string{"1", ""}, Env: map[string]string{"B": "b", "A": ""}, Files: []File{{"d/f", []byte{0xff, 0}}, {Path: "e"}}},
			[]string{"3", "run", "restricted", "", "", "", "", "x", "stdin", "", "a\x00\xff", "arg", "", "1", "arg", "", "", "env", "A", "", "env", "B", "b", "file", "d/f", "\xff\x00", "file", "e", ""}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, got := NewDecoder(row.job.Encode()), []string{}
			for d.More() {
				got = append(got, d.String())
			}
			require.NoError(t, d.Err())
			assert.Equal(t, row.want, got)
		})
	}
}

func TestImportsAreBounded(t *testing.T) {
	var e Encoder
	e.Number(3000)
	e.String(strings.Repeat("x", MaxImportBytes+1))
	for range MaxImports + 1 {
		e.String("json")
	}
	count, list, err := DecodeImports(e.Bytes())
	require.NoError(t, err)
	assert.Equal(t, 3000, count)
	assert.Equal(t, slices.Repeat([]string{"json"}, MaxImports), list)
	_, list, err = DecodeImports([]byte{0, 0, 0, 0})
	require.NoError(t, err)
	assert.Equal(t, []string{}, list, "a program may import nothing")
}

func TestFrames(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteFrame(&b, JobFrame, []byte("xyz")))
	frame := bytes.Clone(b.Bytes())
	kind, payload, err := ReadFrame(&b, 3)
	require.NoError(t, err)
	assert.Equal(t, JobFrame, kind)
	assert.Equal(t, "xyz", string(payload))

	_, _, err = ReadFrame(bytes.NewReader(frame), 2)
	require.ErrorIs(t, err, ErrMalformed, "a payload over the bound")
	_, _, err = ReadFrame(bytes.NewReader(nil), 2)
	require.ErrorIs(t, err, io.EOF, "the end between frames")
	for n := 1; n < len(frame); n++ {
		_, _, err = ReadFrame(bytes.NewReader(frame[:n]), 3)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "the end inside a frame")
	}
}

func TestPacketsCarryDescriptors(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	defer unix.Close(pair[1])
	require.NoError(t, SendPacket(pair[0], []byte("hello"), pair[0], pair[1]))
	msg, fds, err := RecvPacket(pair[1])
	require.NoError(t, err)
	assert.Equal(t, "hello", string(msg))
	assert.Len(t, fds, 2)
	for _, fd := range fds {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		require.NoError(t, err)
		assert.Equal(t, unix.FD_CLOEXEC, flags, "a received descriptor is close-on-exec")
	}
	CloseAll(fds)
	unix.Close(pair[0])
	_, _, err = RecvPacket(pair[1])
	require.ErrorIs(t, err, io.EOF)
}

func FuzzDecoders(f *testing.F) {
	f.Add(setup.Encode())
	f.Add(Event{Kind: EventFault, Step: "x"}.Encode())
	f.Add(Collect{Kind: CollectFile, Size: 1, Rest: []byte("x")}.Encode())
	f.Add(Request{Kind: RequestMounts, Names: []string{"python"}}.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := DecodeSetup(b); err == nil {
			again, err := DecodeSetup(s.Encode())
			require.NoError(t, err)
			assert.Equal(t, s, again)
		}
		_, _ = DecodeEvent(b)
		_, _ = DecodeRequest(b)
		_, _ = DecodeViolations(b)
		_, _, _ = DecodeImports(b)
		if c, err := DecodeCollect(b); err == nil {
			assert.Equal(t, b, c.Encode())
		}
		_, _, _, _ = DecodeSyntaxError(b)
		_, _, _ = ReadFrame(bytes.NewReader(b), MaxReply)
	})
}
