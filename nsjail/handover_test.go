package nsjail

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// What ended the harness before its answer, or in the middle of it, is the verdict; an
// answer that is wrong is our failure.
func TestAnAnswerThatIsCutShortIsNone(t *testing.T) {
	for _, row := range []struct {
		name, bytes string
		none        bool
	}{
		{"nothing", "", true},
		{"a part of a header", "V\x05", true},
		{"a header alone", "V\x05\x00\x00\x00", true},
		{"a part of a frame", "V\x05\x00\x00\x00\x01", true},
		{"a whole frame that is none of the harness's", "?\x00\x00\x00\x00", false},
		{"a whole answer that says nothing", "V\x00\x00\x00\x00", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			ours, theirs, err := socketPair(unix.SOCK_STREAM)
			require.NoError(t, err)
			defer ours.Close()
			_, err = theirs.WriteString(row.bytes)
			require.NoError(t, err)
			require.NoError(t, theirs.Close())
			j := &jail{job: ours}
			var e evidence
			err = j.handOver(nil, true, &e)
			require.Error(t, err)
			if row.none {
				assert.ErrorIs(t, err, errNoReply)
			} else {
				assert.NotErrorIs(t, err, errNoReply)
				assert.ErrorIs(t, err, wire.ErrMalformed)
			}
		})
	}
}
