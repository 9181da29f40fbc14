package console

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommandsAreChecked(t *testing.T) {
	ok := Command{Name: "cgroup", Argv: []string{"/x", "-v"}, Dir: "/", Env: []string{"A=1"}, TimeoutMS: 1000}
	with := func(change func(*Command)) Command { c := ok; change(&c); return c }
	for _, row := range []struct {
		name string
		list []Command
		err  string
	}{
		{"a command reads back as written", []Command{ok}, ""},
		{"order is kept", []Command{ok, with(func(c *Command) { c.Name = "a/b" })}, ""},
		{"no commands prove nothing", nil, "no commands"},
		{"two of one name cannot be told apart", []Command{ok, ok}, "named twice"},
		{"a name with a space breaks the line", []Command{with(func(c *Command) { c.Name = "a b" })}, "bad name"},
		{"a name with a line feed breaks the line", []Command{with(func(c *Command) { c.Name = "a\n" })}, "bad name"},
		{"a program is needed", []Command{with(func(c *Command) { c.Argv = nil })}, "no program"},
		{"a time-out is needed: none would mean unlimited", []Command{with(func(c *Command) { c.TimeoutMS = 0 })}, "no time-out"},
		{"a negative time-out is refused", []Command{with(func(c *Command) { c.TimeoutMS = -1 })}, "no time-out"},
	} {
		t.Run(row.name, func(t *testing.T) {
			data, err := MarshalCommands(row.list)
			if row.err != "" {
				require.ErrorContains(t, err, row.err)
				return
			}
			require.NoError(t, err)
			got, err := ParseCommands(data)
			require.NoError(t, err)
			assert.Equal(t, row.list, got)
		})
	}
}

func FuzzParseCommands(f *testing.F) {
	f.Add([]byte(`{"name":"a","argv":["/x"],"dir":"/","env":null,"timeout_ms":1}`))
	f.Add([]byte(`{"name":"a","argv":[""],"timeout_ms":1}`))
	f.Add([]byte(`{"name":"a","colour":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ParseCommands(data)
		if err != nil {
			return
		}
		again, err := MarshalCommands(list)
		require.NoError(t, err)
		back, err := ParseCommands(again)
		require.NoError(t, err)
		assert.Equal(t, list, back)
	})
}
