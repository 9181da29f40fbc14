package ledger

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"safe-exec/policy"
)

// fullDisk fills the disk under a ledger, makes room again, and looks for all that
// was appended meanwhile.
func fullDisk(dir, ballast string) error {
	l, err := Open(Config{Dir: dir, MaxBytes: 64 << 10, Keep: 1000})
	if err != nil {
		return err
	}
	if err := os.WriteFile(ballast, make([]byte, 3900<<10), 0o600); err != nil {
		return err
	}
	appended, refused := 0, 0
	for refused < maxBacklog+10 {
		switch err := l.Append(aRun(appended)); {
		case err == nil && refused > 0:
			return errors.New("it was written again on a disk that is full")
		case err == nil:
		case errors.Is(err, syscall.ENOSPC):
			refused++
		default:
			return fmt.Errorf("append: %w", err)
		}
		appended++
		if appended > 10_000 {
			return errors.New("the disk does not get full")
		}
	}
	var refusal *policy.Error
	if err := l.Ready(); !errors.As(err, &refusal) || refusal.Code != policy.CodeUnavailable || !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("ready: %w", err)
	}
	if err := os.Truncate(ballast, 0); err != nil {
		return err
	}
	for end := time.Now().Add(20 * time.Second); l.Ready() != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("it is not written again: %w", l.Ready())
		}
	}
	if err := l.Append(aRun(appended)); err != nil && !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	stats := l.Stats()
	if err := l.Close(); err != nil && !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return lookForAll(dir, appended, stats)
}

func lookForAll(dir string, appended int, stats Stats) error {
	seen := map[string]int{}
	summary, err := Verify(dir, nil, func(r Record) {
		if r.Run != nil {
			seen[r.Run.RequestID]++
		}
	})
	if err != nil {
		return err
	}
	for id, n := range seen {
		if n != 1 {
			return fmt.Errorf("%s was recorded %d times", id, n)
		}
	}
	// Ten more than the memory holds were refused.
	if stats.Lost != 10 || summary.Lost != 10 {
		return fmt.Errorf("%d runs were lost, the ledger says %d", stats.Lost, summary.Lost)
	}
	if len(seen)+int(stats.Lost) != appended+1 {
		return fmt.Errorf("%d runs, %d records, %d lost", appended+1, len(seen), stats.Lost)
	}
	return nil
}
