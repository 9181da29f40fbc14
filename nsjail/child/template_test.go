package child_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"safe-exec/nsjail/wire"
)

func TestFirst(t *testing.T) {
	s := newStage(t)
	for range 3 {
		f := s.fork(s.order)
		_, err := f.job.WriteString("import sys; sys.exit(7)")
		require.NoError(t, err)
		e, _ := s.event(f.control, wire.EventExited)
		t.Log(e)
	}
}
