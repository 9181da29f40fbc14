package bpfsim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/seccomp"
	"safe-exec/seccomp/bpfsim"
)

// Each word of struct seccomp_data is where linux/seccomp.h has it on a
// little-endian machine, and reads as the number it is.
func TestWords(t *testing.T) {
	call := bpfsim.Call{Nr: 0x01020304, Arch: 0x05060708}
	for i := range call.Args {
		call.Args[i] = 0xa0b0c0d000000000 | 0x11223344 + uint64(i)
	}
	for _, row := range []struct {
		what   string
		offset uint32
		want   uint32
	}{
		{"the number", 0, 0x01020304},
		{"the architecture", 4, 0x05060708},
		{"the low word of the first argument", 16, 0x11223344},
		{"the high word of the first argument", 20, 0xa0b0c0d0},
		{"the low word of the last argument", 56, 0x11223349},
		{"the high word of the last argument", 60, 0xa0b0c0d0},
	} {
		t.Run(row.what, func(t *testing.T) {
			m, err := bpfsim.New(seccomp.Program{
				{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: row.offset},
				{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: row.want},
				{Code: unix.BPF_RET | unix.BPF_K, K: uint32(seccomp.KillProcess)},
				{Code: unix.BPF_RET | unix.BPF_K, K: uint32(seccomp.Notify)},
			})
			require.NoError(t, err)
			action, err := m.Run(call)
			require.NoError(t, err)
			assert.Equal(t, seccomp.Notify, action)
		})
	}
}

func TestNewRefuses(t *testing.T) {
	ret := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K}
	for _, row := range []struct {
		what string
		prog seccomp.Program
	}{
		{"nothing", nil},
		{"a load of a byte", seccomp.Program{{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS}, ret}},
		{"a load across words", seccomp.Program{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 2}, ret}},
		{"a jump past the end", seccomp.Program{{Code: unix.BPF_JMP | unix.BPF_JA, K: 9}, ret}},
		{"an instruction that is none", seccomp.Program{{Code: 0xffff}, ret}},
	} {
		t.Run(row.what, func(t *testing.T) {
			_, err := bpfsim.New(row.prog)
			assert.Error(t, err)
		})
	}
}
