package events

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// FuzzAnyPiecesGiveTheSameText is a property: however bytes are cut, the text of
// all events together is what a result shows, and each event is whole characters.
func FuzzAnyPiecesGiveTheSameText(f *testing.F) {
	f.Add([]byte("plain"), []byte{1, 2})
	f.Add([]byte("größe € 🙂 e\u0301"), []byte{1})
	f.Add([]byte("\xff\xfe\xf0\x9f\x99"), []byte{1})
	f.Add([]byte("a\xf0\x9f\x99b\xf0\x9f\x99\x82\xe2\x82"), []byte{1, 3})
	f.Add([]byte("\xed\xa0\x80\xc0\x80\xf4\x90\x80\x80"), []byte{2})
	f.Fuzz(func(t *testing.T, data, cuts []byte) {
		l := bounded(1, len(data)+1, 1)
		rest := data
		for i := 0; len(rest) > 0; i++ {
			n := len(rest)
			if len(cuts) > 0 {
				n = min(n, int(cuts[i%len(cuts)])+1)
			}
			l.Watch(policy.Event{Kind: policy.EventStdout, Data: rest[:n]})
			if i%3 == 0 {
				_ = l.after(ID{}) // told: what comes next is an event of its own
			}
			rest = rest[n:]
		}
		l.Result(&policy.Result{Status: policy.Succeeded})
		var text strings.Builder
		for _, e := range l.after(ID{}) {
			if e.Kind != Stdout {
				continue
			}
			var d struct{ Text string }
			require.NoError(t, json.Unmarshal(e.Data, &d))
			require.True(t, utf8.Valid(e.Data))
			require.NotEmpty(t, d.Text)
			text.WriteString(d.Text)
		}
		require.Equal(t, strings.ToValidUTF8(string(data), "\uFFFD"), text.String())
	})
}
