package wire

import (
	"encoding/binary"
	"errors"
)

// ErrMalformed means that the other side sent bytes that are no message of
// this protocol.
var ErrMalformed = errors.New("wire: malformed message")

// MaxMessage bounds every message in bytes. The largest is a job: the
// program's text and the policy's lists.
const MaxMessage = 4 << 20

// Encoder appends values to a message.
type Encoder struct{ buf []byte }

// Bytes is the message so far.
func (e *Encoder) Bytes() []byte { return e.buf }

// Number appends 4 bytes, the lowest first.
func (e *Encoder) Number(v uint32) {
	e.buf = binary.LittleEndian.AppendUint32(e.buf, v)
}

// Number64 appends 8 bytes, the lowest first.
func (e *Encoder) Number64(v uint64) {
	e.buf = binary.LittleEndian.AppendUint64(e.buf, v)
}

// String appends the length as a Number, and the bytes.
func (e *Encoder) String(s string) {
	e.Number(uint32(len(s)))
	e.buf = append(e.buf, s...)
}

// Strings appends how many there are as a Number, and each as a String.
func (e *Encoder) Strings(list []string) {
	e.Number(uint32(len(list)))
	for _, s := range list {
		e.String(s)
	}
}

// Decoder takes values off a message. The first value that is not there makes
// Err say ErrMalformed and all later values zero, so that a message is decoded
// straight through and checked once.
type Decoder struct {
	buf []byte
	err error
}

// NewDecoder makes a Decoder of one message.
func NewDecoder(b []byte) *Decoder { return &Decoder{buf: b} }

// Err is ErrMalformed if a value was missing or bytes are left over.
func (d *Decoder) Err() error {
	if d.err == nil && len(d.buf) > 0 {
		return ErrMalformed
	}
	return d.err
}

// More says whether another value can be decoded.
func (d *Decoder) More() bool { return d.err == nil && len(d.buf) > 0 }

func (d *Decoder) take(n int) []byte {
	if d.err != nil || n > len(d.buf) {
		d.err = ErrMalformed
		return nil
	}
	b := d.buf[:n]
	d.buf = d.buf[n:]
	return b
}

// Number takes what Encoder.Number appends.
func (d *Decoder) Number() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Number64 takes what Encoder.Number64 appends.
func (d *Decoder) Number64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// String takes what Encoder.String appends.
func (d *Decoder) String() string {
	n := d.Number()
	if n > MaxMessage {
		d.err = ErrMalformed
	}
	return string(d.take(int(n)))
}

// Strings takes what Encoder.Strings appends.
func (d *Decoder) Strings() []string {
	n := d.Number()
	var list []string
	for range n {
		if d.err != nil {
			return nil
		}
		list = append(list, d.String())
	}
	return list
}
