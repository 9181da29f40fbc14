package child

import (
	"encoding/binary"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/landlock"
)

// program is what a forked child does, in order. It depends on no address: what
// its operations point to lies in data and is named by its offset there, so that
// a program can be performed by this process (fork) or be sent to a template
// (ForkOrder).
type program struct {
	ops       []op
	data      []byte
	addresses []uint32 // offsets in data of 64-bit offsets that become addresses
}

// op is one system call.
type op struct {
	step  string
	nr    uintptr
	args  [5]arg
	check check
	want  uint32 // the value or errno that check means
	store uint32 // offset in data where the 32-bit result goes; 0 is nowhere
}

// arg is an argument of a system call: itself, or by a mark in its two highest
// bits an offset in the program's data. No call takes numbers that look like it:
// small negative ones have both bits.
type arg uint64

const (
	marks   arg = 3 << 62
	pointer arg = 1 << 62 // the address of what lies there
	stored  arg = 2 << 62 // the 32-bit number that an operation before has stored there
)

// check says what an operation must answer. A proof is a call that would
// succeed if the layer it proves were not there.
type check uint32

const (
	mustSucceed check = iota
	mustReturn        // want is the value
	mustFail          // want is the errno
	mayFail           // want is the one errno that is as good as success
)

func (p *program) add(step string, nr uintptr, args ...arg) {
	o := op{step: step, nr: nr}
	copy(o.args[:], args)
	p.ops = append(p.ops, o)
}

func (p *program) demand(step string, c check, want uint32, nr uintptr, args ...arg) {
	p.add(step, nr, args...)
	last := &p.ops[len(p.ops)-1]
	last.check, last.want = c, want
}

// result makes the last operation store what it returns, for later ones to use.
func (p *program) result() arg {
	at := p.put(nil, 4)
	p.resultAt(at)
	return stored | at&^marks
}

// resultAt makes it store that inside of what lies there.
func (p *program) resultAt(at arg) { p.ops[len(p.ops)-1].store = uint32(at &^ marks) }

// put lays bytes into the data, with room for so many, and points to them.
func (p *program) put(b []byte, room int) arg {
	const alignment = 8
	// Nothing lies at 0, which stands for nowhere.
	at := max(alignment, (len(p.data)+alignment-1)&^(alignment-1))
	p.data = append(p.data, make([]byte, at-len(p.data))...)
	p.data = append(p.data, b...)
	p.data = append(p.data, make([]byte, max(0, room-len(b)))...)
	return pointer | arg(at)
}

func (p *program) words(v ...uint32) arg {
	var b []byte
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return p.put(b, 0)
}

func (p *program) numbers(v ...uint64) arg {
	var b []byte
	for _, n := range v {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return p.put(b, 0)
}

// pointers takes numbers as well, 0 for one.
func (p *program) pointers(v ...arg) arg {
	at := p.numbers(make([]uint64, len(v))...)
	for i, to := range v {
		place := uint32(at&^marks) + uint32(i)*8
		binary.LittleEndian.PutUint64(p.data[place:], uint64(to&^marks))
		if to&marks == pointer {
			p.addresses = append(p.addresses, place)
		}
	}
	return at
}

// text is NUL-terminated. One with a NUL in it gives nil, and the call EFAULT.
func (p *program) text(s string) arg {
	b, err := syscall.ByteSliceFromString(s)
	if err != nil {
		return 0
	}
	return p.put(b, 0)
}

func (p *program) list(s []string) arg {
	var texts []arg
	for _, text := range s {
		texts = append(texts, p.text(text))
	}
	return p.pointers(append(texts, 0)...)
}

// filter is struct sock_fprog: a raw array of struct sock_filter behind its
// length.
func (p *program) filter(raw string) arg {
	return p.pointers(arg(len(raw))/arg(unsafe.Sizeof(unix.SockFilter{})), p.put([]byte(raw), 0))
}

// capabilities gives all three sets of version 3, which takes 64 bits as two
// words, as the two arguments of capset(2).
func (p *program) capabilities(set uint64) (head, sets arg) {
	low, high := uint32(set), uint32(set>>32)
	return p.words(unix.LINUX_CAPABILITY_VERSION_3, 0), p.words(low, low, low, high, high, high)
}

// addRule adds a Landlock rule to a ruleset.
func (p *program) addRule(ruleset arg, r landlock.Rule) {
	rule := p.put(binary.LittleEndian.AppendUint64(nil, r.Rights), 8+4)
	p.add("landlock_ruleset", unix.SYS_OPENAT, atCwd, p.text(r.Path), landlock.RuleOpen)
	p.resultAt(rule + landlock.RuleFD)
	p.add("landlock_ruleset", unix.SYS_LANDLOCK_ADD_RULE, ruleset, landlock.RulePathBeneath, rule, 0)
	p.add("landlock_ruleset", unix.SYS_CLOSE, stored|(rule+landlock.RuleFD)&^marks)
}

// closeBut closes every descriptor from first on but one.
func (p *program) closeBut(step string, first, but int) {
	const last = 1<<32 - 1
	if first < but {
		p.add(step, unix.SYS_CLOSE_RANGE, arg(first), arg(but)-1, 0)
	}
	p.add(step, unix.SYS_CLOSE_RANGE, arg(but)+1, last, 0)
}

// closeAllBut closes every descriptor that is not among these; a negative one is
// none.
func (p *program) closeAllBut(step string, keep ...int) {
	first := 0
	for _, fd := range slices.Sorted(slices.Values(keep)) {
		if fd > first {
			p.add(step, unix.SYS_CLOSE_RANGE, arg(first), arg(fd)-1, 0)
		}
		first = max(first, fd+1)
	}
	const last = 1<<32 - 1
	p.add(step, unix.SYS_CLOSE_RANGE, arg(first), last, 0)
}

// without leaves out the steps that a test asked for.
func (p program) without(skip []string) program {
	p.ops = slices.DeleteFunc(p.ops, func(o op) bool { return skipped(skip, o.step) })
	return p
}

// call is an op with addresses for offsets.
type call struct {
	nr    uintptr
	args  [5]uintptr
	check check
	want  uint32
}

// answered says whether the kernel's answer is what is demanded.
//
//go:nosplit
func (c *call) answered(value uintptr, errno syscall.Errno) bool {
	switch c.check {
	case mustSucceed:
		return errno == 0
	case mustReturn:
		return errno == 0 && value == uintptr(c.want)
	case mustFail:
		return uint32(errno) == c.want
	case mayFail:
		return errno == 0 || uint32(errno) == c.want
	}
	return false
}

// load gives a program's calls, with the data pinned on the heap: between fork
// and exec there is no allocation and no Go runtime, and a pointer to a stack
// could be stale by then. Only templates store results.
func (p program) load(pins *runtime.Pinner) (calls []call, err error) {
	memory := make([]uint64, len(p.data)/8+1) // aligned
	pins.Pin(&memory[0])
	data := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), len(p.data))
	copy(data, p.data)
	base := uintptr(unsafe.Pointer(&memory[0]))
	for _, at := range p.addresses {
		memory[at/8] += uint64(base)
	}
	for _, o := range p.ops {
		c := call{nr: o.nr, check: o.check, want: o.want}
		for i, a := range o.args {
			if a&marks == stored || o.store != 0 {
				return nil, syscall.ENOTSUP
			}
			c.args[i] = uintptr(a)
			if a&marks == pointer {
				c.args[i] = base + uintptr(a&^marks)
			}
		}
		calls = append(calls, c)
	}
	return calls, nil
}
