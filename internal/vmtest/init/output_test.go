package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOutputIsPrefixed(t *testing.T) {
	long := strings.Repeat("x", longestLine)
	for _, row := range []struct{ name, in, want string }{
		{"nothing stays nothing", "", ""},
		{"each line gets the prefix", "a\nb\n", "| a\n| b\n"},
		{"an empty line gets it too", "\n", "| \n"},
		{"a last line without end is ended, so the init's next starts fresh", "a", "| a\n"},
		{"a long line goes on in the next, with the prefix", long + "VMTEST-END\n", "| " + long + "\n| VMTEST-END\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, prefixLines(&out, strings.NewReader(row.in)))
			assert.Equal(t, row.want, out.String())
		})
	}
}
