package seccomp

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// Disassemble gives the program for people, one instruction a line with its
// number, absolute jump targets, and the fields of struct seccomp_data and the
// actions by name.
func (p Program) Disassemble() string {
	var b strings.Builder
	for i, ins := range p {
		fmt.Fprintf(&b, "%4d  %s\n", i, disassemble(i, ins))
	}
	return b.String()
}

func disassemble(at int, ins unix.SockFilter) string {
	switch ins.Code & 0x07 {
	case unix.BPF_LD:
		if ins.Code == unix.BPF_LD|unix.BPF_W|unix.BPF_ABS {
			return "load " + field(ins.K)
		}
	case unix.BPF_ALU:
		if ins.Code == unix.BPF_ALU|unix.BPF_AND|unix.BPF_K {
			return fmt.Sprintf("and %#x", ins.K)
		}
	case unix.BPF_JMP:
		if ins.Code == unix.BPF_JMP|unix.BPF_JA {
			return fmt.Sprintf("jump %d", at+1+int(ins.K))
		}
		for _, op := range []struct {
			code uint16
			text string
		}{
			{unix.BPF_JEQ, "=="}, {unix.BPF_JGT, ">"}, {unix.BPF_JGE, ">="}, {unix.BPF_JSET, "&"},
		} {
			if ins.Code == unix.BPF_JMP|op.code|unix.BPF_K {
				return fmt.Sprintf("if %s %#x jump %d else %d", op.text, ins.K,
					at+1+int(ins.Jt), at+1+int(ins.Jf))
			}
		}
	case unix.BPF_RET:
		if ins.Code == unix.BPF_RET|unix.BPF_K {
			return "return " + Action(ins.K).String()
		}
	}
	return fmt.Sprintf("code %#x jt %d jf %d k %#x", ins.Code, ins.Jt, ins.Jf, ins.K)
}

// field names a 32-bit word of struct seccomp_data.
func field(offset uint32) string {
	switch {
	case offset == 0:
		return "nr"
	case offset == 4:
		return "arch"
	case offset >= 16 && offset < 64 && offset%8 == 0:
		return fmt.Sprintf("arg%d low", (offset-16)/8)
	case offset >= 16 && offset < 64 && offset%8 == 4:
		return fmt.Sprintf("arg%d high", (offset-16)/8)
	}
	return fmt.Sprintf("[%d]", offset)
}
