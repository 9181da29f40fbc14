package seccomp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/seccomp"
)

// answering gives a program that answers action for one call and allows the
// rest. It is for this package's tests, which do not look at the architecture.
func answering(nr uint32, action seccomp.Action) seccomp.Program {
	return seccomp.Program{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 0, Jf: 1, K: nr},
		{Code: unix.BPF_RET | unix.BPF_K, K: uint32(action)},
		{Code: unix.BPF_RET | unix.BPF_K, K: uint32(seccomp.Allow)},
	}
}

func TestMarshal(t *testing.T) {
	p := answering(0x12345678, seccomp.KillProcess)
	b := p.Marshal()
	assert.Equal(t, []byte{
		0x20, 0, 0, 0, 0, 0, 0, 0,
		0x15, 0, 0, 1, 0x78, 0x56, 0x34, 0x12,
		0x06, 0, 0, 0, 0, 0, 0, 0x80,
		0x06, 0, 0, 0, 0, 0, 0xff, 0x7f,
	}, b)
	again, err := seccomp.UnmarshalProgram(b)
	require.NoError(t, err)
	assert.Equal(t, p, again)
	assert.Equal(t, "0f6963ee8ed3d4da", p.Digest()[:16])
	assert.NotEqual(t, p.Digest(), answering(0x12345679, seccomp.KillProcess).Digest())
}

func TestUnmarshalRefusesLengths(t *testing.T) {
	for _, n := range []int{0, 1, 7, 9, 8*4096 + 8} {
		_, err := seccomp.UnmarshalProgram(make([]byte, n))
		assert.ErrorContains(t, err, "want 1 to 4096 instructions of 8 bytes", "%d bytes", n)
	}
	p, err := seccomp.UnmarshalProgram(make([]byte, 8*4096))
	require.NoError(t, err)
	assert.Len(t, p, 4096)
}

func TestDisassemble(t *testing.T) {
	p := append(answering(42, seccomp.Errno(unix.EPERM)), seccomp.Program{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 4},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 28},
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xff},
		{Code: unix.BPF_JMP | unix.BPF_JA, K: 3},
		{Code: unix.BPF_MISC},
	}...)
	assert.Equal(t, `   0  load nr
   1  if == 0x2a jump 2 else 3
   2  return errno EPERM
   3  return allow
   4  load arch
   5  load arg1 high
   6  and 0xff
   7  jump 11
   8  code 0x7 jt 0 jf 0 k 0x0
`, p.Disassemble())
}

func FuzzUnmarshalProgram(f *testing.F) {
	f.Add(answering(1, seccomp.Notify).Marshal())
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := seccomp.UnmarshalProgram(b)
		if err != nil {
			return
		}
		require.Equal(t, b, p.Marshal())
		require.NotEmpty(t, p.Disassemble())
	})
}
