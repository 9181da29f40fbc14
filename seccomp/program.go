package seccomp

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"golang.org/x/sys/unix"
)

// Program is a filter as the kernel takes it: classic BPF over struct
// seccomp_data.
type Program []unix.SockFilter

const (
	instructionSize = 8    // sizeof(struct sock_filter)
	maxInstructions = 4096 // BPF_MAXINSNS
)

// Marshal gives the program as an array of struct sock_filter, little-endian:
// what a loader in another process passes to seccomp(2) as it is.
func (p Program) Marshal() []byte {
	b := make([]byte, 0, len(p)*instructionSize)
	for _, ins := range p {
		b = binary.LittleEndian.AppendUint16(b, ins.Code)
		b = append(b, ins.Jt, ins.Jf)
		b = binary.LittleEndian.AppendUint32(b, ins.K)
	}
	return b
}

// UnmarshalProgram is the reverse of Marshal. It checks the length only: the
// kernel refuses an ill-formed program when it is loaded.
func UnmarshalProgram(b []byte) (Program, error) {
	n := len(b) / instructionSize
	if len(b)%instructionSize != 0 || n == 0 || n > maxInstructions {
		return nil, fmt.Errorf("unmarshal filter: %d bytes: want 1 to %d instructions of %d bytes",
			len(b), maxInstructions, instructionSize)
	}
	p := make(Program, n)
	for i := range p {
		ins := b[i*instructionSize:]
		p[i] = unix.SockFilter{
			Code: binary.LittleEndian.Uint16(ins), Jt: ins[2], Jf: ins[3],
			K: binary.LittleEndian.Uint32(ins[4:]),
		}
	}
	return p, nil
}

// Digest names the program: the SHA-256 of its bytes in hexadecimal.
func (p Program) Digest() string {
	sum := sha256.Sum256(p.Marshal())
	return hex.EncodeToString(sum[:])
}
