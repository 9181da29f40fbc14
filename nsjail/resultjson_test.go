package nsjail

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestResultJSON(t *testing.T) {
	for _, row := range []struct{ name, stdout, want string }{
		{"the whole output", `{"sum": 3}` + "\n", `{"sum":3}`},
		{"the whole output over lines", "{\n \"a\": [1,\n 2]\n}\n", `{"a":[1,2]}`},
		{"the last line that is not blank", "working\ndone\n[1, 2]\n\n", `[1,2]`},
		{"a scalar", "42\n", `42`},
		{"no JSON", "hello\n", `null`},
		{"no output", "", `null`},
		{"two values in a line are none", "1 2", `null`},
		{"NaN is not JSON", "NaN", `null`},
		{"nesting at the bound", strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 64) + strings.Repeat("]", 64)},
		{"nesting beyond it", strings.Repeat("[", 65) + strings.Repeat("]", 65), `null`},
		{"brackets in a string are no nesting", `"` + strings.Repeat("[", 100) + `\""`, `"` + strings.Repeat("[", 100) + `\""`},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, string(resultJSON(row.stdout)))
		})
	}
}

func FuzzResultJSONIsAlwaysJSON(f *testing.F) {
	f.Add(`{"a":1}`)
	f.Add("x\n\"\\\n[")
	f.Fuzz(func(t *testing.T, stdout string) {
		assert.True(t, json.Valid(resultJSON(stdout)))
	})
}

func TestResultJSONIsWhatEveryDecoderTakes(t *testing.T) {
	for _, row := range []struct{ name, stdout, want string }{
		{"a number beyond a double", "1e999", `null`},
		{"more digits than decoders take", strings.Repeat("1", 5000), `null`},
		{"a long integer within a double", strings.Repeat("9", 300), strings.Repeat("9", 300)},
		{"half of a pair", `"\ud800"`, `null`},
		{"the other half", `["\udc00"]`, `null`},
		{"a whole pair", `"\ud83d\ude00"`, `"\ud83d\ude00"`},
		{"an escaped backslash before a u", `"\\ud800"`, `"\\ud800"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, string(resultJSON(row.stdout)))
		})
	}
}
