package wire

import (
	"bytes"
	"io"
	"sync"

	"golang.org/x/sys/unix"
)

// PacketSize bounds one packet of a SOCK_SEQPACKET socket, in bytes: the
// largest are the order of a fork and a Setup, with two filters each.
const PacketSize = 64 << 10

// maxFDs bounds the descriptors that ride along with one packet.
const maxFDs = 32

// buffers are for what is received: most packets are a few words.
var buffers = sync.Pool{New: func() any { return new([PacketSize]byte) }}

// SendPacket sends one message with descriptors on a SOCK_SEQPACKET socket.
func SendPacket(fd int, msg []byte, fds ...int) error {
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	for {
		err := unix.Sendmsg(fd, msg, oob, nil, unix.MSG_NOSIGNAL)
		if err != unix.EINTR {
			return err
		}
	}
}

// RecvPacket receives one message with its descriptors, which are
// close-on-exec. io.EOF means that the other end is closed; a truncated message
// is ErrMalformed, one whose descriptors found no room in this process EMFILE. On any
// error no descriptor is left open.
func RecvPacket(fd int) (msg []byte, fds []int, err error) {
	space := buffers.Get().(*[PacketSize]byte)
	defer buffers.Put(space)
	buf, oob := space[:], make([]byte, unix.CmsgSpace(maxFDs*4))
	var n, oobn, flags int
	for {
		n, oobn, flags, _, err = unix.Recvmsg(fd, buf, oob, unix.MSG_CMSG_CLOEXEC)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return nil, nil, err
	}
	fds = rights(oob[:oobn])
	switch {
	case flags&unix.MSG_TRUNC != 0:
		CloseAll(fds)
		return nil, nil, ErrMalformed
	case flags&unix.MSG_CTRUNC != 0: // the buffer has room for all that is ever sent: this process has none
		CloseAll(fds)
		return nil, nil, unix.EMFILE
	case n == 0 && len(fds) == 0:
		return nil, nil, io.EOF
	}
	return bytes.Clone(buf[:n]), fds, nil
}

func rights(oob []byte) []int {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	var fds []int
	for i := range messages {
		if got, err := unix.ParseUnixRights(&messages[i]); err == nil {
			fds = append(fds, got...)
		}
	}
	return fds
}

// CloseAll closes every descriptor.
func CloseAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}
