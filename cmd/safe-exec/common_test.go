package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// shared is a daemon of several tests.
type shared struct {
	once sync.Once
	d    *served
	up   bool
}

// common is a daemon as it is without a configuration, for tests that need some
// daemon and leave it as it is: each start costs a processor two seconds. It ends
// behind the last test.
var common shared

// daemon gives it, started by the first test that needs it.
func (s *shared) daemon(t *testing.T) *served {
	t.Helper()
	s.once.Do(func() {
		dir := filepath.Dir(binary)
		var err error
		require.NoError(t, compile())
		s.d, err = invocation{}.begin(filepath.Join(dir, "common"), "--state-dir", stateDir)
		require.NoError(t, err)
		s.d.expect(t, "READY=1")
		s.up = true
	})
	require.True(t, s.up, "it did not start for the test that needed it first")
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.d)
		}
	})
	return s.d
}

// end wants it to live, and to end in order.
func (s *shared) end() error {
	if s.d == nil {
		return nil
	}
	defer os.RemoveAll(s.d.notices)
	if err := s.d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("%w: %s", err, s.d)
	}
	select {
	case <-s.d.ended:
	case <-time.After(patience):
		return errors.Join(fmt.Errorf("it does not end: %s", s.d), s.d.cmd.Process.Kill())
	}
	if status := s.d.cmd.ProcessState; !status.Success() || s.d.stdout.Len() > 0 {
		return fmt.Errorf("%s, stdout %q: %s", status, s.d.stdout.String(), s.d)
	}
	return nil
}
