package nsjail

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"safe-exec/policy"
)

// capture drains one output pipe. It keeps the first and the last half of its
// allowance and counts everything, so that a gigabyte of output costs the
// daemon no more memory than the allowance, and the program never blocks on a
// reader that has seen enough.
type capture struct {
	first int // bytes of head at most
	last  int // bytes of ring at most
	head  []byte
	ring  []byte // the last bytes, once head is full
	start int    // where the oldest byte of a full ring is
	total atomic.Int64
	tell  func([]byte) // hears the first bytes, as many as are kept; nil for nobody
	told  int
	done  chan struct{}
}

// chatty is how many reads come without a pause.
const chatty = 64

func newCapture(allowance int64) *capture {
	return &capture{first: int(allowance - allowance/2), last: int(allowance / 2), done: make(chan struct{})}
}

var drainBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// drain reads until the pipe's writers are gone. onBytes hears of every read.
func (c *capture) drain(r *os.File, onBytes func(n int64)) {
	defer close(c.done)
	space := drainBuffers.Get().(*[64 << 10]byte)
	defer drainBuffers.Put(space)
	buf := space[:]
	for reads := 0; ; reads++ {
		n, err := r.Read(buf)
		if n > 0 {
			c.keep(buf[:n])
			if take := min(n, c.first+c.last-c.told); c.tell != nil && take > 0 {
				c.tell(buf[:take])
				c.told += take
			}
			c.total.Add(int64(n))
			onBytes(int64(n))
			// A program that writes byte by byte would keep us as busy as itself,
			// outside its own limits. The pipe holds what comes meanwhile.
			if reads > chatty && n < len(buf)/16 {
				time.Sleep(500 * time.Microsecond)
			}
		}
		if err != nil { // io.EOF, or closed by us after the bound on draining
			return
		}
	}
}

func (c *capture) keep(b []byte) {
	if room := c.first - len(c.head); room > 0 {
		take := min(room, len(b))
		c.head = append(c.head, b[:take]...)
		b = b[take:]
	}
	if len(b) > c.last {
		b = b[len(b)-c.last:]
	}
	for len(b) > 0 {
		if len(c.ring) < c.last {
			take := min(c.last-len(c.ring), len(b))
			c.ring = append(c.ring, b[:take]...)
			b = b[take:]
			continue
		}
		take := copy(c.ring[c.start:], b)
		c.start = (c.start + take) % c.last
		b = b[take:]
	}
}

// text gives what was kept as valid UTF-8, with a line in the place of what was
// not. Call it after done.
func (c *capture) text() (text string, truncated bool) {
	tail := append(append([]byte(nil), c.ring[c.start:]...), c.ring[:c.start]...)
	omitted := c.total.Load() - int64(len(c.head)) - int64(len(tail))
	if omitted <= 0 {
		return strings.ToValidUTF8(string(c.head)+string(tail), "\uFFFD"), false
	}
	head, tail := trimEnd(c.head), trimStart(tail)
	text = fmt.Sprintf("%s\n%s\n%s", head, policy.Omission(omitted), tail)
	return strings.ToValidUTF8(text, "\uFFFD"), true
}

// trimEnd and trimStart drop the pieces of a character that the cut went
// through.
func trimEnd(b []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax-1, len(b)); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

func trimStart(b []byte) []byte {
	for i := 0; i < min(utf8.UTFMax-1, len(b)); i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}

// output is the two pipes of a run.
type output struct {
	readers, writers [2]*os.File
	stdout, stderr   *capture // from start on
	total            atomic.Int64
}

// newOutput makes the pipes; the writers go to the payload.
func newOutput() (*output, error) {
	o := &output{}
	for i := range o.readers {
		var fds [2]int
		err := unix.Pipe2(fds[:], unix.O_CLOEXEC)
		if err == nil {
			o.writers[i] = os.NewFile(uintptr(fds[1]), "pipe")
			o.readers[i], err = pollable(fds[0], "pipe")
		}
		if err != nil {
			o.close()
			return nil, err
		}
	}
	return o, nil
}

// given closes our copies of the write ends, so that the payload's end is the
// end.
func (o *output) given() {
	for _, w := range o.writers {
		w.Close()
	}
}

// start drains both pipes and keeps what the limits allow. flood is called once
// if they pass l.MaxOutputBytes together.
func (o *output) start(l policy.Limits, w *watcher, flood func()) {
	o.stdout, o.stderr = newCapture(l.MaxStdoutBytes), newCapture(l.MaxStderrBytes)
	o.stdout.tell, o.stderr.tell = w.output(policy.EventStdout), w.output(policy.EventStderr)
	limit := l.MaxOutputBytes
	var once sync.Once
	count := func(n int64) {
		if o.total.Add(n) > limit {
			once.Do(flood)
		}
	}
	go o.stdout.drain(o.readers[0], count)
	go o.stderr.drain(o.readers[1], count)
}

// wait returns when both pipes are drained.
func (o *output) wait() {
	<-o.stdout.done
	<-o.stderr.done
}

func (o *output) close() {
	for _, f := range append(o.readers[:], o.writers[:]...) {
		if f != nil {
			f.Close()
		}
	}
}
