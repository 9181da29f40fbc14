package nsjail

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// captured pushes text through a real pipe in pieces of step bytes.
func captured(t *testing.T, allowance int64, text string, step int) *capture {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	c := newCapture(allowance)
	go c.drain(r, func(int64) {})
	for len(text) > 0 {
		n := min(step, len(text))
		_, err := w.WriteString(text[:n])
		require.NoError(t, err)
		text = text[n:]
	}
	require.NoError(t, w.Close())
	<-c.done
	require.NoError(t, r.Close())
	return c
}

func TestCaptureKeepsHeadAndTailAtEveryBorder(t *testing.T) {
	const allowance = 16
	for size := range 3 * allowance {
		for _, step := range []int{1, 3, 7, 64} {
			text := strings.Repeat("abcdefghijklmnopqrstuvwxyz", 2)[:size]
			got, truncated := captured(t, allowance, text, step).text()
			if size <= allowance {
				require.Equal(t, text, got)
				require.False(t, truncated)
				continue
			}
			require.True(t, truncated)
			require.True(t, strings.HasPrefix(got, text[:allowance/2]), got)
			require.True(t, strings.HasSuffix(got, text[size-allowance/2:]), got)
		}
	}
}

func TestCaptureOfExactlyTheAllowanceIsWhole(t *testing.T) {
	for allowance := range int64(20) {
		text := strings.Repeat("x", int(allowance+1))
		got, truncated := captured(t, allowance+1, text, 3).text()
		require.Equal(t, text, got)
		require.False(t, truncated)
	}
}

func TestJSONBehindACutIsAWholeLineOrNothing(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a number that the cut went through", strings.Repeat("1", 100), "null"},
		{"a last line behind the cut", strings.Repeat("x", 100) + "\n[1]\n", "[1]"},
		{"a last line that begins before the cut", strings.Repeat("x", 50) + "\n" + strings.Repeat("2", 30), "null"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, truncated := captured(t, 16, row.text, 7).text()
			assert.True(t, truncated)
			assert.Equal(t, row.want, string(policy.ResultJSON(text, truncated)))
		})
	}
}

func TestCaptureTextIsValidUTF8(t *testing.T) {
	for name, text := range map[string]string{
		"bytes that are no UTF-8":      "\xff\xfe\x00\x80",
		"a cut through two characters": strings.Repeat("é☃", 40),
		"a cut through four bytes":     "x" + strings.Repeat("𝄞", 40),
		"a lone surrogate":             "\xed\xa0\x80",
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := captured(t, 32, text, 5).text()
			assert.True(t, utf8.ValidString(got))
			if utf8.ValidString(text) {
				assert.NotContains(t, got, "\uFFFD", "valid text gained a replacement character")
			}
		})
	}
}

func TestCaptureMemoryIsBoundedByItsAllowance(t *testing.T) {
	c := captured(t, 1024, strings.Repeat("0123456789abcdef", 1<<16), 1<<16)
	assert.Equal(t, int64(1<<20), c.total.Load())
	assert.LessOrEqual(t, cap(c.head)+cap(c.ring), 4096)
}
