package benchmark

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"safe-exec/policy"
)

// MaxSleepers is how many programs the daemon of the sleepers has room for.
const MaxSleepers = 500

const (
	// Programs that are on their way at once: with all of them, the time that a
	// start may take would run out.
	sleepersStarting = 8

	sleepConfig = `
runs: 512
queue: 64
profiles:
  python:
    requestable:
      timeout_ms: {min: 1, default: 5000, max: 1200000}
`
)

// sleep fills a daemon of its own with Python programs that wait, and measures
// how much memory they take and how it answers meanwhile.
func (b *bench) sleep(ctx context.Context) error {
	i := slices.IndexFunc(b.Languages, func(l Language) bool { return l.Name == "python" })
	if i < 0 {
		return errors.New("it needs Python")
	}
	p := hello(b.Languages[i])
	free := meminfoMB("MemAvailable")
	d, err := b.Start(ctx, sleepConfig)
	if err != nil {
		return err
	}
	defer d.Stop()
	w := through(wayOurs, "", d.Executor)
	result := &Sleepers{Programs: b.Sleepers}
	rounds := min(b.Rounds, 50)
	if result.UsualP50, err = settledP50(ctx, w, p, rounds); err != nil {
		return err
	}
	if err := b.fill(ctx, d); err != nil {
		return err
	}
	b.Say("sleep: %d programs sleep", b.Sleepers)
	if err := quiet(ctx, d); err != nil {
		return err
	}
	result.TakenMB = free - meminfoMB("MemAvailable")
	spawner, broker := parts(d.Pid)
	for _, pid := range []int{d.Pid, spawner, broker} {
		_, pss := memoryMB(pid)
		result.ProportionalMB += pss
	}
	for _, j := range jails(d) {
		for _, one := range j {
			_, pss := memoryMB(one.pid)
			result.ProportionalMB += pss
		}
	}
	if result.MeanwhileP50, err = settledP50(ctx, w, p, rounds); err != nil {
		return err
	}
	if n := asleep(d); n < b.Sleepers {
		return fmt.Errorf("only %d of %d programs slept to the end", n, b.Sleepers)
	}
	b.report.Sleepers = result
	return nil
}

// fill submits the programs and returns when all sleep.
func (b *bench) fill(ctx context.Context, d *Daemon) error {
	const spareMB, patience = 1000, 30 * time.Second
	limit := int64(1_200_000)
	req := policy.Request{Language: "python", Code: "import time\ntime.sleep(1200)", Limits: policy.LimitsRequest{TimeoutMS: &limit}}
	progressed, last, sent := time.Now(), 0, 0
	for {
		n := asleep(d)
		b.Say("sleep: %d of %d programs", n, b.Sleepers)
		if n > last {
			progressed, last = time.Now(), n
		}
		switch {
		case n == b.Sleepers:
			return nil
		case meminfoMB("MemAvailable") < spareMB:
			return fmt.Errorf("with %d programs the machine has less than %d MB of memory left", n, spareMB)
		case time.Since(progressed) > patience:
			return fmt.Errorf("for %v no more than %d programs sleep", patience, n)
		}
		for ; sent < min(n+sleepersStarting, b.Sleepers); sent++ {
			if err := d.Submit(ctx, req); err != nil {
				return fmt.Errorf("program %d: %w", sent+1, err)
			}
		}
		pause(ctx, 20*time.Millisecond)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// asleep counts the jails whose program has come to its sleep.
func asleep(d *Daemon) (n int) {
	for _, j := range jails(d) {
		if p := j.payload(); p != nil && sleeping(p.pid) {
			n++
		}
	}
	return n
}

// settledP50 is the median of runs with the daemon left alone after each.
func settledP50(ctx context.Context, w way, p *program, rounds int) (float64, error) {
	lanes := []*lane{{program: p, way: w}}
	const warmup = 20
	err := interleave(ctx, lanes, warmup, rounds, func(string, ...any) {})
	return median(lanes[0].samples.took), err
}
