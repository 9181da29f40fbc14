package policy

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
			assert.Equal(t, row.want, string(ResultJSON(row.stdout, false)))
		})
	}
}

func FuzzResultJSONIsAlwaysJSON(f *testing.F) {
	f.Add(`{"a":1}`)
	f.Add("x\n\"\\\n[")
	f.Fuzz(func(t *testing.T, stdout string) {
		assert.True(t, json.Valid(ResultJSON(stdout, false)))
		assert.True(t, json.Valid(ResultJSON(stdout, true)))
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
			assert.Equal(t, row.want, string(ResultJSON(row.stdout, false)))
		})
	}
}

func TestOnlyAWholeLineOfACutOutputIsTaken(t *testing.T) {
	cut := "begin\n" + Omission(17) + "\n"
	for _, row := range []struct{ name, stdout, want string }{
		{"a line behind a line end behind the cut", cut + "42]\n[1, 2]\n", `[1,2]`},
		{"the line that the cut is in", cut + "42", `null`},
		{"the same with a line end", cut + "42\n", `null`},
		{"the same with blank lines behind it", cut + "42\n\n \n", `null`},
		{"nothing behind the cut", cut, `null`},
		{"blanks behind the cut", cut + " \n\n", `null`},
		{"a line behind a blank rest of the cut one", cut + "\n[1]\n", `[1]`},
		{"a line behind one that only looks like a cut", cut + "x\n" + "[... x bytes omitted ...]\n7", `7`},
		{"a line behind one that looks like a cut in every way is not believed", cut + "x\n" + Omission(3) + "\n7", `null`},
		{"a whole that is JSON by accident", "[" + Omission(1)[1:], `null`},
	} {
		t.Run(row.name, func(t *testing.T) {
			assert.Equal(t, row.want, string(ResultJSON(row.stdout, true)))
		})
	}
}
