package hosttest

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhenAHostIsStarved(t *testing.T) {
	for _, row := range []struct {
		name  string
		slow  float64
		after usage
		want  bool
	}{
		{"work took its time", 1, usage{all: 1000}, false},
		{"work took twice as long, beside another's", 2, usage{all: 1000}, false},
		{"others had the processors", slowest, usage{all: 1000, ours: 100}, true},
		{"what the test started had them", 100, usage{all: 1000, ours: 900}, false},
		{"nobody knows who had them", 100, usage{}, false},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, starved(row.slow, usage{}, row.after)) })
	}
}

// end is how a test ended.
type end struct {
	testing.TB
	skipped, failed string
}

func (e *end) Helper() {}

func (e *end) Skipf(format string, args ...any) {
	e.skipped = fmt.Sprintf(format, args...)
	panic(e)
}

func (e *end) Fatalf(format string, args ...any) {
	e.failed = fmt.Sprintf(format, args...)
	panic(e)
}

// ended runs a test to its end.
func ended(t *testing.T, test func(testing.TB)) (e *end) {
	t.Helper()
	e = &end{TB: t}
	defer func() { require.Equal(t, e, recover(), "it neither failed nor skipped") }()
	test(e)
	return e
}

func TestAWaitInVainFails(t *testing.T) {
	waits := 0
	e := ended(t, func(t testing.TB) {
		Eventually(t, time.Millisecond, time.Millisecond, func() bool { waits++; return false }, "no answer: %d", 42)
	})
	assert.Regexp(t, `^after [0-9.]+ms: no answer: 42$`, e.failed)
	assert.Positive(t, waits)
	e = ended(t, func(t testing.TB) { Receive(t, time.Millisecond, make(chan int), "no answer") })
	assert.Regexp(t, `^after [0-9.]+s: no answer$`, e.failed)
}

func TestAWaitInVainOnAStarvedHostSkipsInOneLine(t *testing.T) {
	const slow = 12
	w := Begin()
	w.begin = w.begin.Add(-time.Hour)
	w.wanted, w.took = time.Second, slow*time.Second // as bursts were measured
	w.before = used()
	w.before.all -= 1 << 40 // which others had
	e := ended(t, func(t testing.TB) { w.GiveUp(t, "no answer: %s", strings.Repeat("a line\n", 1000)) })
	assert.Regexp(t, `^host starved: in 1h0m0\.?\d*s other processes made work take 12 times as long: no answer: a line$`, e.skipped)
}

func TestWhatIsThereEndsAWait(t *testing.T) {
	waits := 0
	Eventually(t, time.Minute, time.Nanosecond, func() bool { waits++; return waits == 3 }, "")
	assert.Equal(t, 3, waits)
	some := make(chan int, 1)
	some <- 42
	got, ok := Receive(t, time.Minute, some, "")
	assert.Equal(t, []any{42, true}, []any{got, ok})
}

func TestTheHostIsMeasuredInLongWaitsOnly(t *testing.T) {
	w := Begin()
	w.Sample()
	assert.Zero(t, w.wanted)
	w.begin = w.begin.Add(-calm)
	w.Sample()
	first := w.wanted
	assert.GreaterOrEqual(t, first, burstOf)
	assert.GreaterOrEqual(t, w.slowness(), 1.0)
	w.Sample()
	assert.Equal(t, first, w.wanted, "once a second")
}

// Time of a child counts while it lives, and after it was waited for.
func TestProcessorTimeOfChildrenIsOurs(t *testing.T) {
	const ticks = 10 // of a hundredth of a second each
	before := used()
	child := exec.Command("sh", "-c", "while :; do :; done")
	require.NoError(t, child.Start())
	Eventually(t, time.Minute, 10*time.Millisecond, func() bool { return used().ours >= before.ours+ticks }, "the child's time does not count")
	require.NoError(t, child.Process.Kill())
	_ = child.Wait()
	after := used()
	assert.GreaterOrEqual(t, after.ours, before.ours+ticks)
	assert.GreaterOrEqual(t, after.all-before.all, int64(ticks))
}
