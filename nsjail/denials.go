package nsjail

import (
	"context"
	"slices"
	"strings"

	"safe-exec/policy"
	"safe-exec/seccomp"
)

// watchDenials answers the steady filter's notifications until the payload is
// gone.
func (j *jail) watchDenials(listener int) (err error) {
	if j.notifier, err = seccomp.NewNotifier(listener); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	j.stopNotify = cancel
	j.notified.Add(1)
	most := j.spec.Limits.MaxDenials
	go func() {
		defer j.notified.Done()
		defer j.notifier.Close()
		err := j.notifier.Run(ctx, most)
		if err != nil && ctx.Err() == nil {
			// Nobody answers any more: the payload's denied calls would hang.
			j.runner.log.Error("seccomp notifier", "error", err)
			j.kill()
		}
	}()
	j.undo.add(func() { cancel(); j.notified.Wait() })
	return nil
}

// denials lists the refused calls by name, the most frequent first.
func (j *jail) denials() []policy.Denial {
	list := []policy.Denial{}
	for nr, count := range j.notifier.Counts() {
		name := "other"
		if nr != seccomp.OtherCalls {
			name = j.runner.syscallName(nr)
		}
		list = append(list, policy.Denial{Syscall: name, Count: count})
	}
	slices.SortFunc(list, func(a, b policy.Denial) int {
		if a.Count != b.Count {
			return int(b.Count - a.Count)
		}
		return strings.Compare(a.Syscall, b.Syscall)
	})
	return list
}
