package queuetest

import "testing"

// Run puts a driver to the test.
func Run(t *testing.T, d Driver) {
	for _, row := range []struct {
		name string
		test func(*testing.T, Driver)
	}{
		{"a job goes from the queue to its verdict", wayOfAJob},
		{"jobs outlive the process, leases do not", reopening},
		{"what is out of bounds is refused", bounds},
		{"an idempotency key names one job of its owner", idempotency},
		{"lists are paged, newest first, own jobs only", listing},
		{"a job is claimed by one worker", doubleClaim},
		{"a lease that ran out is lost", lostLease},
		{"a job is started a bounded number of times", attempts},
		{"a job that waited past its deadline never runs", deadlines},
		{"a wall clock that jumps changes nothing", clockJumps},
		{"a thousand jobs of one owner do not starve another's first", fairness},
		{"an owner has a bounded number of jobs that run, and the rest is for others", atOnce},
		{"a first job past its deadline hides none behind it", expiredHeads},
		{"weights decide who gets how much", weights},
		{"cancelling costs no turn and gains none", cancelledTurns},
		{"a job that is cancelled gets that verdict once", cancelling},
		{"cancelling races with running and one of them decides", cancelRaces},
		{"finished jobs are bounded", retention},
		{"a full disk loses nothing that was accepted", fullDisk},
		{"a process that is killed loses nothing that was accepted", crashes},
	} {
		t.Run(row.name, func(t *testing.T) { row.test(t, d) })
	}
}
