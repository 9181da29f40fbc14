package collect

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

// against collects from an init that does what script does with its socket.
func against(t *testing.T, spec policy.Spec, script func(socket int)) (*collector, error) {
	t.Helper()
	return againstUntil(t.Context(), t, spec, script)
}

func againstUntil(ctx context.Context, t *testing.T, spec policy.Spec, script func(socket int)) (*collector, error) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() { defer close(done); defer unix.Close(pair[1]); script(pair[1]) }()
	c := newCollector(pair[0], spec)
	err = c.run(ctx)
	unix.Close(pair[0])
	<-done
	return c, err
}

// says is an init that answers each request with the packets of one list.
func says(answers ...[]wire.Collect) func(int) {
	return func(socket int) {
		for _, packets := range answers {
			if _, _, err := wire.RecvPacket(socket); err != nil {
				return
			}
			for _, p := range packets {
				if wire.SendPacket(socket, p.Encode()) != nil {
					return
				}
			}
		}
		_, _, _ = wire.RecvPacket(socket) // until the daemon is gone
	}
}

func file(path string, size uint64) wire.Collect {
	return wire.Collect{Kind: wire.CollectFile, Size: size, Rest: []byte(path)}
}

func data(text string) wire.Collect {
	return wire.Collect{Kind: wire.CollectData, Rest: []byte(text)}
}

// TestAnInitThatIsAnothersIsNotBelieved: it could only be the work of whoever got
// from the payload into it.
func TestAnInitThatIsAnothersIsNotBelieved(t *testing.T) {
	end := wire.Collect{Kind: wire.CollectEnd}
	endless := func(c wire.Collect) func(int) {
		return func(socket int) {
			for wire.SendPacket(socket, c.Encode()) == nil {
			}
		}
	}
	raw := func(packet string) func(int) {
		return func(socket int) {
			_ = wire.SendPacket(socket, []byte(packet))
			_, _, _ = wire.RecvPacket(socket)
			_, _, _ = wire.RecvPacket(socket)
		}
	}
	for _, row := range []struct {
		name   string
		script func(int)
		want   error
	}{
		{"one that ends", func(socket int) { _, _, _ = wire.RecvPacket(socket) }, io.ErrUnexpectedEOF},
		{"an absolute path", says([]wire.Collect{file("/etc/passwd", 1)}), wire.ErrMalformed},
		{"a path that leads out", says([]wire.Collect{file("a/../../b", 1)}), wire.ErrMalformed},
		{"a path that leads nowhere", says([]wire.Collect{file("a//b", 1)}), wire.ErrMalformed},
		{"the directory itself", says([]wire.Collect{file(".", 1)}), wire.ErrMalformed},
		{"an empty path", says([]wire.Collect{file("", 1)}), wire.ErrMalformed},
		{"a path longer than any is", says([]wire.Collect{file(strings.Repeat("a", 2048), 1)}), wire.ErrMalformed},
		{"a reason that is none", says([]wire.Collect{{Kind: wire.CollectSkipped, Why: 99, Rest: []byte("a")}}), wire.ErrMalformed},
		{"no reason", says([]wire.Collect{{Kind: wire.CollectSkipped, Rest: []byte("a")}}), wire.ErrMalformed},
		{"bytes where a list is asked for", says([]wire.Collect{data("x")}), wire.ErrMalformed},
		{"a list where bytes are asked for", says([]wire.Collect{file("a", 1), end}, []wire.Collect{file("b", 1)}), wire.ErrMalformed},
		{"an event", raw(string(wire.Event{Kind: wire.EventExited}.Encode())), wire.ErrMalformed},
		{"a request", raw(string(wire.Collect{Kind: wire.CollectList}.Encode())), wire.ErrMalformed},
		{"a packet that is cut short", raw("\x15\x00\x00"), wire.ErrMalformed},
		{"a list without end", endless(file("a", 1)), wire.ErrMalformed},
		{"a file without end", func(socket int) {
			_, _, _ = wire.RecvPacket(socket)
			_ = wire.SendPacket(socket, file("a", 1).Encode())
			_ = wire.SendPacket(socket, end.Encode())
			endless(data(strings.Repeat("x", 32<<10)))(socket)
		}, wire.ErrMalformed},
		{"a descriptor", func(socket int) {
			_ = wire.SendPacket(socket, end.Encode(), socket)
			_, _, _ = wire.RecvPacket(socket)
			_, _, _ = wire.RecvPacket(socket)
		}, wire.ErrMalformed},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := against(t, policy.Spec{}, row.script)
			require.ErrorIs(t, err, row.want)
			assert.Empty(t, c.files)
		})
	}
}

// What is not asked for does not touch the socket, whose end is what else stops it.
func TestLookingForWhatIsAskedForEndsWithItsTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	list := []wire.Collect{file("a", 1), file("b", 1), {Kind: wire.CollectEnd}}
	c, err := againstUntil(ctx, t, policy.Spec{Collect: []string{"c"}}, func(socket int) {
		_, _, _ = wire.RecvPacket(socket)
		for _, p := range list[:len(list)-1] {
			_ = wire.SendPacket(socket, p.Encode())
		}
		cancel()
		_ = wire.SendPacket(socket, list[len(list)-1].Encode())
		says([]wire.Collect{{Kind: wire.CollectEnd, Why: wire.WhyAbsent}})(socket)
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Len(t, c.rest, 2, "nobody looked at them")
}

// TestAnInitThatIsAnothersIsNotBelievedOfAName either.
func TestAnInitThatIsAnothersIsNotBelievedOfAName(t *testing.T) {
	end := wire.Collect{Kind: wire.CollectEnd}
	for _, row := range []struct {
		name   string
		answer wire.Collect
	}{
		{"bytes where none are asked for", data("x")},
		{"a file of another name", file("b", 1)},
		{"the file itself, which the list alone shows", file("a", 1)},
		{"a reason that is none", wire.Collect{Kind: wire.CollectEnd, Why: wire.WhyAbsent + 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := against(t, policy.Spec{Collect: []string{"a"}}, says([]wire.Collect{end}, []wire.Collect{row.answer}))
			require.ErrorIs(t, err, wire.ErrMalformed)
			assert.Empty(t, c.files)
			assert.Equal(t, []policy.SkippedFile{{Reason: "the jail was lost while its files were brought back"}}, c.list(err, false))
		})
	}
}

// TestWhatAnInitSaysOfSizesIsCounted: nothing but the bytes that arrive counts.
func TestWhatAnInitSaysOfSizesIsCounted(t *testing.T) {
	end, lost := wire.Collect{Kind: wire.CollectEnd}, wire.Collect{Kind: wire.CollectEnd, Why: wire.WhySymlink}
	much := []wire.Collect{}
	for range policy.MaxOutputFileBytes/(32<<10) + 1 {
		much = append(much, data(strings.Repeat("x", 32<<10)))
	}
	much[len(much)-1] = data("x")
	for _, row := range []struct {
		name    string
		answers [][]wire.Collect
		files   map[string]int // path to size
		skipped map[string]string
	}{
		{"a file that is smaller than it said", [][]wire.Collect{{file("a", 9), end}, {data("xy"), end}}, map[string]int{"a": 2}, nil},
		{"one that is larger than it said", [][]wire.Collect{{file("a", 1), end}, {data("xy"), data("z"), end}}, map[string]int{"a": 3}, nil},
		{"one that is larger than any may be", [][]wire.Collect{{file("a", 1), end}, append(much, end)}, map[string]int{}, map[string]string{"a": tooMuch}},
		{"one that says it is larger than numbers are", [][]wire.Collect{{file("a", 1<<63+5), end}}, map[string]int{}, map[string]string{"a": tooLarge}},
		{"one that has become a link", [][]wire.Collect{{file("a", 1), end}, {lost}}, map[string]int{}, map[string]string{"a": whys[wire.WhySymlink]}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := against(t, policy.Spec{}, says(row.answers...))
			require.NoError(t, err)
			files, skipped := map[string]int{}, map[string]string(nil)
			for _, f := range c.files {
				files[f.Path] = int(f.Size)
			}
			for _, s := range c.skipped {
				skipped = map[string]string{s.Path: s.Reason}
			}
			assert.Equal(t, row.files, files)
			assert.Equal(t, row.skipped, skipped)
		})
	}
}

// TestAnInitThatDoesNotAnswerIsNotWaitedFor, and the files that there are by then
// are told.
func TestAnInitThatDoesNotAnswerIsNotWaitedFor(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	defer unix.Close(pair[0])
	ctx, late := context.WithCancel(t.Context())
	defer late()
	end := wire.Collect{Kind: wire.CollectEnd}
	go func() {
		defer unix.Close(pair[1])
		answered := says([]wire.Collect{file("a", 1), file("b", 1), file("c", 1), end}, []wire.Collect{data("x"), end})
		answered(pair[1]) // and has been asked for one more
		late()
		_, _, _ = wire.RecvPacket(pair[1]) // until the daemon is gone
	}()
	files, skipped, err := From(ctx, pair[0], policy.Spec{})
	assert.Error(t, err)
	require.Len(t, files, 1)
	assert.Equal(t, "a", files[0].Path)
	assert.Equal(t, []policy.SkippedFile{{Path: "b", Reason: "bringing the files back took too long"}, {Path: "c", Reason: "bringing the files back took too long"}}, skipped)
}

func TestEveryReasonHasWords(t *testing.T) {
	for why := wire.WhyNot + 1; why <= wire.WhyAbsent; why++ {
		assert.NotEmpty(t, whys[why], fmt.Sprint(why))
	}
}

func FuzzAnswersOfAnInit(f *testing.F) {
	end := wire.Collect{Kind: wire.CollectEnd}
	f.Add(file("a", 1).Encode(), end.Encode(), data("x").Encode(), end.Encode())
	f.Add(wire.Collect{Kind: wire.CollectSkipped, Why: wire.WhySymlink, Rest: []byte("\xff")}.Encode(), file("a/b", 0).Encode(), end.Encode(), end.Encode())
	f.Fuzz(func(t *testing.T, a, b, c, d []byte) {
		got, err := against(t, policy.Spec{}, func(socket int) {
			for _, packet := range [][]byte{a, b, c, d} {
				if len(packet) == 0 || len(packet) > wire.PacketSize || wire.SendPacket(socket, packet) != nil {
					return
				}
			}
		})
		skipped := got.list(err, false)
		assert.LessOrEqual(t, len(got.files), policy.MaxOutputFiles)
		assert.LessOrEqual(t, len(skipped), policy.MaxSkippedFiles+2)
		for _, f := range got.files {
			assert.True(t, presentable(f.Path))
		}
		for _, s := range skipped {
			assert.True(t, presentable(s.Path), "%q", s.Path)
		}
	})
}
