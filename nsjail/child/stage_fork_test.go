package child_test

import (
	"os"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/cgroup"
	"safe-exec/nsjail/child"
	"safe-exec/nsjail/wire"
)

// fork is one jail that a template made.
type fork struct {
	stage               *stage
	leaf                *cgroup.Leaf
	reply, control, job *os.File
	stdout, stderr      *os.File
	init, payload       *os.File // pidfds
}

// send sends an order with all that belongs to it.
func (s *stage) send(packet []byte) *fork {
	f := &fork{stage: s, leaf: s.leaf()}
	joiner, err := f.leaf.Joiner()
	require.NoError(s.t, err)
	defer joiner.Close()
	var peers [3]*os.File
	f.reply, peers[0] = pair(s.t, unix.SOCK_SEQPACKET)
	f.control, peers[1] = pair(s.t, unix.SOCK_SEQPACKET)
	f.job, peers[2] = pair(s.t, unix.SOCK_STREAM)
	var stdout, stderr *os.File
	f.stdout, stdout, err = os.Pipe()
	require.NoError(s.t, err)
	f.stderr, stderr, err = os.Pipe()
	require.NoError(s.t, err)
	files := append(peers[:], stdout, stderr)
	require.NoError(s.t, f.leaf.Admit(templateGID))
	if joiner.Dir != nil {
		files = append(files, joiner.Dir)
	}
	files = append(files, joiner.Leaf...)
	var homes *cgroup.Joiner
	if joiner.Version == cgroup.V1 {
		homes, err = s.home.Joiner()
		require.NoError(s.t, err)
		defer homes.Close()
		files = append(files, homes.Leaf...)
	}
	require.NoError(s.t, wire.SendPacket(int(s.orders.Fd()), packet, number(files...)...))
	for _, file := range append(peers[:], stdout, stderr) {
		file.Close()
	}
	s.t.Cleanup(f.end)
	return f
}

// end closes the daemon's ends, of which control ends the jail.
func (f *fork) end() {
	if f.leaf == nil {
		return
	}
	for _, file := range []*os.File{f.control, f.job, f.reply, f.stdout, f.stderr} {
		file.Close()
	}
	f.stage.remove(f.leaf)
	f.leaf = nil
}

// fork makes a jail up to where its payload waits for what to execute.
func (s *stage) fork(order child.ForkOrder) *fork {
	s.t.Helper()
	packet, err := order.Encode()
	require.NoError(s.t, err)
	f := s.send(packet)
	_, f.init = s.event(f.reply, wire.EventStarted)
	_, f.payload = s.event(f.control, wire.EventStarted)
	s.read(f.job, "F")
	return f
}
