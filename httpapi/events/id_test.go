package events

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseID(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       ID
		ok         bool
	}{
		{"nothing seen", "", ID{}, true},
		{"the first event", "1.1", ID{1, 1}, true},
		{"a later attempt", "12.345", ID{12, 345}, true},
		{"one number", "1", ID{}, false},
		{"three numbers", "1.2.3", ID{}, false},
		{"zero is no event", "1.0", ID{}, false},
		{"zero is no attempt", "0.1", ID{}, false},
		{"a sign", "+1.1", ID{}, false},
		{"a leading zero, which would be a second name of an event", "1.01", ID{}, false},
		{"space", "1. 1", ID{}, false},
		{"digits of another script", "١.١", ID{}, false},
		{"too long for a number", "1.1234567890", ID{}, false},
		{"a line break, which would end the field", "1.1\n", ID{}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			id, err := ParseID(row.text)
			assert.Equal(t, row.ok, err == nil)
			assert.Equal(t, row.want, id)
			if err != nil {
				assert.Contains(t, err.Error(), "Last-Event-ID")
			}
		})
	}
}

func TestIDsAreOrderedByAttemptThenNumber(t *testing.T) {
	ids := []ID{{}, {1, 1}, {1, 2}, {1, 10}, {2, 1}}
	for i := range ids {
		for j := range ids {
			assert.Equal(t, i < j, ids[i].Before(ids[j]), "%v %v", ids[i], ids[j])
		}
	}
}

func FuzzParseID(f *testing.F) {
	for _, text := range []string{"", "1.1", "3.99", "1.", ".1", "999999999.999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := ParseID(text)
		if err != nil {
			require.Equal(t, ID{}, id)
			return
		}
		if text != "" {
			require.Equal(t, text, id.String(), "an id has one name")
			require.Positive(t, id.Attempt)
			require.Positive(t, id.N)
		}
	})
}
