package benchmark

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	sleepers = 500
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
	result := &Sleepers{Programs: sleepers}
	rounds := min(b.Rounds, 50)
	if result.UsualP50, err = settledP50(ctx, w, p, rounds); err != nil {
		return err
	}
	s := &sleeperSet{done: make(chan error, sleepers)}
	defer s.end()
	if err := s.fill(ctx, b, d, p.language); err != nil {
		return err
	}
	b.Say("sleep: %d programs sleep", sleepers)
	if err := quiet(ctx, d); err != nil {
		return err
	}
	result.TakenMB = free - meminfoMB("MemAvailable")
	for _, pid := range []int{d.Pid, firstChild(d.Pid)} {
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
	if n := asleep(d); n < sleepers {
		return fmt.Errorf("only %d of %d programs slept to the end", n, sleepers)
	}
	b.report.Sleepers = result
	return nil
}

// sleeperSet is programs that sleep until they are cancelled.
type sleeperSet struct {
	cancel context.CancelFunc
	wg     sync.WaitGroup
	done   chan error // of those that ended by themselves
}

// fill starts them and returns when all sleep.
func (s *sleeperSet) fill(ctx context.Context, b *bench, d *Daemon, l Language) error {
	inside, cancel := context.WithCancel(ctx)
	s.cancel = cancel
	const spareMB, longest = 1000, 10 * time.Minute
	w := limited(wayOurs, "", d.Executor, 1_200_000)
	p := &program{figure: Sleep, name: "sleep", language: l, code: "import time\ntime.sleep(1200)\nprint('awake')", want: "awake\n"}
	begin, sent := time.Now(), 0
	for {
		n := asleep(d)
		b.Say("sleep: %d of %d programs", n, sleepers)
		if n == sleepers {
			return nil
		}
		for ; sent < min(n+sleepersStarting, sleepers); sent++ {
			s.wg.Go(func() {
				_, err := w.run(inside, p)
				if inside.Err() == nil {
					s.done <- err
				}
			})
		}
		switch {
		case meminfoMB("MemAvailable") < spareMB:
			return fmt.Errorf("with %d programs the machine has less than %d MB of memory left", n, spareMB)
		case time.Since(begin) > longest:
			return fmt.Errorf("after %v only %d programs sleep", longest, n)
		}
		select {
		case err := <-s.done:
			return fmt.Errorf("a program ended while %d slept: %w", n, err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *sleeperSet) end() {
	if s.cancel != nil {
		s.cancel()
	}
	s.wg.Wait()
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
	const warmup = 5
	err := interleave(ctx, lanes, warmup, rounds, func(string, ...any) {})
	return median(lanes[0].samples.took), err
}
