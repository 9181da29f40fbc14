package events

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestAPieceOfTextPartsNoCharacter(t *testing.T) {
	for _, row := range []struct {
		name, text string
		most, want int
	}{
		{"what fits is whole", "abc", 3, 3},
		{"what does not is cut", "abcd", 3, 3},
		{"before a character that would be parted", "ab\u20ac", 4, 2},
		{"behind one that fits", "ab\u20acc", 5, 5},
		{"there may be no room", "abc", 0, 0},
		{"or not enough", "\u20ac", 2, 0},
	} {
		assert.Equal(t, row.want, cut([]byte(row.text), row.most), row.name)
	}
}

// However a program wrote it, a reader is given little at once, and the log that is
// made from the result ends with the ids that the live one had.
func TestLargeOutputIsToldInPieces(t *testing.T) {
	text := strings.Repeat("\u20ac\x01", 100<<10) // 400 KiB, 900 KiB of JSON
	for _, row := range []struct {
		name string
		size int // of a write
	}{{"at once", len(text)}, {"in large writes that part characters", 70001}, {"in small ones", 4099}} {
		t.Run(row.name, func(t *testing.T) {
			live := New(1)
			live.Queued("j", time.Time{})
			live.Watch(policy.Event{Kind: policy.EventStarted})
			for rest := []byte(text); len(rest) > 0; {
				n := min(row.size, len(rest))
				live.Watch(policy.Event{Kind: policy.EventStdout, Data: rest[:n]})
				rest = rest[n:]
			}
			last := live.Seal()
			result := &policy.Result{Status: policy.Succeeded, Stdout: text}
			live.Result(result)
			rebuilt := Rebuild(Ended{JobID: "j", Last: last, Ran: true, Result: result})
			assert.Equal(t, last, live.Done())
			assert.Equal(t, last, rebuilt.Done())
			for _, l := range []*Log{live, rebuilt} {
				told := ""
				for after := (ID{}); after != last; {
					found, err := l.Next(t.Context(), after)
					require.NoError(t, err)
					size := 0
					for i, e := range found {
						assert.True(t, l == rebuilt || size < batch, "event %d of a batch that is full", i)
						size += len(e.Data)
						if e.Kind == Stdout {
							piece := pieceOf(t, e)
							assert.True(t, utf8.ValidString(piece))
							told += piece
						}
					}
					after = found[len(found)-1].ID
				}
				assert.True(t, text == told, "%d of %d bytes were told", len(told), len(text))
			}
		})
	}
}

func pieceOf(t *testing.T, e Event) string {
	t.Helper()
	var data struct{ Text string }
	require.NoError(t, json.Unmarshal(e.Data, &data))
	return data.Text
}
