package link

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrMalformed means that a payload is no message of its kind.
var ErrMalformed = errors.New("link: malformed message")

// maxList bounds every list in items: a short item takes more memory than bytes
// of the frame.
const maxList = 1024

// encoder appends values to a frame.
type encoder struct{ buf []byte }

// newFrame begins a frame of a kind, with room for a payload of about size bytes.
func newFrame(k kind, size int) *encoder {
	b := make([]byte, headerSize, headerSize+size)
	b[0] = byte(k)
	return &encoder{b}
}

// frame is the whole, its length filled in.
func (e *encoder) frame() []byte {
	binary.LittleEndian.PutUint32(e.buf[1:], uint32(len(e.buf)-headerSize))
	return e.buf
}

func (e *encoder) number(v uint32) { e.buf = binary.LittleEndian.AppendUint32(e.buf, v) }
func (e *encoder) long(v uint64)   { e.buf = binary.LittleEndian.AppendUint64(e.buf, v) }

func (e *encoder) bit(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	e.buf = append(e.buf, b)
}

func (e *encoder) text(s string) {
	e.number(uint32(len(s)))
	e.buf = append(e.buf, s...)
}

func (e *encoder) bytes(b []byte) {
	e.number(uint32(len(b)))
	e.buf = append(e.buf, b...)
}

func (e *encoder) texts(list []string) {
	e.number(uint32(len(list)))
	for _, s := range list {
		e.text(s)
	}
}

// optional is a number that may be missing.
func (e *encoder) optional(v *int64) {
	e.bit(v != nil)
	if v != nil {
		e.long(uint64(*v))
	}
}

// decoder takes values off a payload. The first that is not there makes done
// say so and all later ones zero, so that a message is decoded straight through.
type decoder struct {
	buf []byte
	err error
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", ErrMalformed, what)
	}
	d.buf = nil
}

// done is an error if a value was missing or bytes are left over.
func (d *decoder) done() error {
	if d.err == nil && len(d.buf) > 0 {
		d.fail("bytes left over")
	}
	return d.err
}

func (d *decoder) take(n uint32) []byte {
	if uint64(n) > uint64(len(d.buf)) {
		d.fail("it ends too early")
		return nil
	}
	b := d.buf[:n:n]
	d.buf = d.buf[n:]
	return b
}

func (d *decoder) number() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) long() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) bit() bool {
	b := d.take(1)
	if b == nil {
		return false
	}
	if b[0] > 1 {
		d.fail("a bit that is neither 0 nor 1")
	}
	return b[0] == 1
}

func (d *decoder) text() string { return string(d.take(d.number())) }

// bytes shares the payload's memory.
func (d *decoder) bytes() []byte { return d.take(d.number()) }

// count is the length of a list.
func (d *decoder) count() int {
	n := d.number()
	if n > maxList {
		d.fail("a list that is too long")
		return 0
	}
	return int(n)
}

func (d *decoder) texts() []string {
	n := d.count()
	if n == 0 || d.err != nil {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = d.text()
	}
	return list
}

func (d *decoder) optional() *int64 {
	if !d.bit() || d.err != nil {
		return nil
	}
	v := int64(d.long())
	return &v
}
