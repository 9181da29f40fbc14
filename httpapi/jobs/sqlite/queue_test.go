package sqlite_test

import (
	"os"
	"testing"

	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/jobs/queuetest"
	"safe-exec/httpapi/jobs/sqlite"
)

func open(dir string, clock jobs.Clock) (jobs.Queue, error) {
	q, err := sqlite.Open(dir, clock)
	if err != nil {
		return nil, err
	}
	return q, nil
}

func TestMain(m *testing.M) {
	if dir := os.Getenv(panicKey); dir != "" {
		os.Exit(panicking(dir))
	}
	os.Exit(queuetest.Main(m, open))
}

func TestQueue(t *testing.T) { queuetest.Run(t, open) }
