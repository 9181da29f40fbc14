// Package bpfsim runs a filter program in user space, so that tests can ask what
// it would answer without living under it. It is test support: no product code
// may trust it, for only the kernel's own answer counts.
package bpfsim

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"safe-exec/seccomp"
)

// Architectures as struct seccomp_data has them (linux/audit.h).
const (
	ArchX8664 = unix.AUDIT_ARCH_X86_64
	ArchI386  = unix.AUDIT_ARCH_I386
)

// X32 is the bit that marks a number of the x32 ABI, whose architecture is
// x86_64 as well.
const X32 = 0x40000000

// Call is what the filter sees of a system call.
type Call struct {
	Nr   uint32
	Arch uint32 // zero means ArchX8664
	Args [6]uint64
}

// Machine runs one program.
type Machine struct{ vm *bpf.VM }

// New checks the program and readies it.
func New(p seccomp.Program) (*Machine, error) {
	raw := make([]bpf.RawInstruction, len(p))
	for i, ins := range p {
		raw[i] = bpf.RawInstruction{Op: ins.Code, Jt: ins.Jt, Jf: ins.Jf, K: ins.K}
		// Any other load would see through the trick in Run.
		if ins.Code&7 == unix.BPF_LD && (ins.Code != unix.BPF_LD|unix.BPF_W|unix.BPF_ABS || ins.K%4 != 0) {
			return nil, fmt.Errorf("instruction %d: not an aligned 32-bit load", i)
		}
	}
	ins, all := bpf.Disassemble(raw)
	if !all {
		return nil, fmt.Errorf("an unknown instruction in %d", len(p))
	}
	vm, err := bpf.NewVM(ins)
	if err != nil {
		return nil, fmt.Errorf("load program: %w", err)
	}
	return &Machine{vm}, nil
}

// Run gives the program's answer. The machine's loads are big-endian, as fits
// packets, but struct seccomp_data is in the processor's order: so each 32-bit
// word is stored big-endian, and the words of a 64-bit argument low word first.
func (m *Machine) Run(c Call) (seccomp.Action, error) {
	if c.Arch == 0 {
		c.Arch = ArchX8664
	}
	var data [64]byte
	binary.BigEndian.PutUint32(data[0:], c.Nr)
	binary.BigEndian.PutUint32(data[4:], c.Arch)
	for i, arg := range c.Args {
		binary.BigEndian.PutUint32(data[16+8*i:], uint32(arg))
		binary.BigEndian.PutUint32(data[20+8*i:], uint32(arg>>32))
	}
	action, err := m.vm.Run(data[:])
	if err != nil {
		return 0, fmt.Errorf("run program: %w", err)
	}
	return seccomp.Action(action), nil
}
