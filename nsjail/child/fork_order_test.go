package child_test

import (
	"encoding/binary"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/child"
	"safe-exec/nsjail/wire"
)

func TestAnOrderThatIsMalformedEndsTheTemplate(t *testing.T) {
	s := newStage(t)
	whole, err := s.order.Encode()
	require.NoError(t, err)
	const header, size, operation = 48, 32, 64
	with := func(at int, v uint32) []byte {
		b := append([]byte(nil), whole...)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	for _, row := range []struct {
		name   string
		packet []byte
	}{
		{"an empty one", []byte{0}},
		{"one that ends in its header", whole[:header-1]},
		{"one that is cut short", whole[:len(whole)-1]},
		{"one with more behind", append(append([]byte(nil), whole...), 0)},
		{"another version", with(0, 9)},
		{"more operations than there are", with(16, 1<<31)},
		{"as many as overflow", with(20, 1<<32-1)},
		{"more data than there is", with(size, 1<<32-1)},
		{"a map beyond the data", with(36, 1<<20)},
		{"a step's name beyond the data", with(header+44, 1<<20)},
		{"an unknown check", with(header+48, 9)},
		{"a result beyond the data", with(header+56, 1<<20)},
		{"a pointer beyond the data", with(header+4, 1<<30|1)},
	} {
		t.Run(row.name, func(t *testing.T) {
			s.startTemplate()
			f := s.send(row.packet)
			e, _ := s.event(s.control, wire.EventExited)
			assert.Equal(t, 71, syscall.WaitStatus(e.Status).ExitStatus())
			_, _, err := wire.RecvPacket(int(f.reply.Fd()))
			assert.ErrorIs(t, err, io.EOF)
		})
	}
}

func TestOrdersThatNoTemplateTakesAreNotWritten(t *testing.T) {
	good := child.ForkOrder{MemfdErrno: unix.EACCES, CloseFrom: 4}
	for _, row := range []struct {
		name   string
		change func(*child.ForkOrder)
		want   error
	}{
		{"a good one is written", func(*child.ForkOrder) {}, nil},
		{"a payload that loses its job socket", func(o *child.ForkOrder) { o.CloseFrom = 3 }, syscall.EINVAL},
		{"one that keeps a fork's descriptors", func(o *child.ForkOrder) { o.CloseFrom = child.ForkFDs + 1 }, syscall.EINVAL},
		{"nothing said of memory files", func(o *child.ForkOrder) { o.MemfdErrno = 0 }, syscall.EINVAL},
		{"filters larger than a packet", func(o *child.ForkOrder) { o.StartupFilter = strings.Repeat("x", 64<<10) }, child.ErrOrderSize},
	} {
		t.Run(row.name, func(t *testing.T) {
			order := good
			row.change(&order)
			_, err := order.Encode()
			assert.Equal(t, row.want, err)
		})
	}
}

func TestOrdersMayWaitForEachOther(t *testing.T) {
	s := newStage(t)
	packet, err := s.order.Encode()
	require.NoError(t, err)
	var forks []*fork
	for range 8 {
		forks = append(forks, s.send(packet))
	}
	for _, f := range forks {
		_, f.init = s.event(f.reply, wire.EventStarted)
		_, f.payload = s.event(f.control, wire.EventStarted)
		s.read(f.job, "F")
	}
	settled(t, s)
	for _, f := range forks {
		alive(t, f.payload)
	}
}
