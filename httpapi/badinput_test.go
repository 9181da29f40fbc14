package httpapi

import (
	"encoding/base64"
	"fmt"
	"strings"

	"safe-exec/policy"
)

// many gives n texts in a row, each with its number.
func many(n int, format string) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, format, i)
	}
	return all.String()
}

// badInputs are about stdin, args, env, files and collect.
var badInputs = []badBody{
	{"stdin must be a string", with(`"stdin":["a"]`), 400, policy.CodeInvalid, "stdin", "must be a string, not an array"},
	{"null stdin is not absent stdin", with(`"stdin":null`), 400, policy.CodeInvalid, "stdin", "not null"},
	{"arguments must be a list", with(`"args":"a b"`), 400, policy.CodeInvalid, "args", "must be an array, not a string"},
	{"an argument must be a string", with(`"args":["a",1]`), 400, policy.CodeInvalid, "args[1]", "must be a string, not a number"},
	{"65 arguments are too many", with(`"args":["a"` + strings.Repeat(`,"a"`, 64) + `]`), 422, policy.CodeTooLarge, "args", "more than 64"},
	{"a hundred thousand arguments are as many", with(`"args":["a"` + strings.Repeat(`,"a"`, 100000) + `]`), 422, policy.CodeTooLarge, "args", "more than 64"},
	{"an environment must be an object", with(`"env":["A=1"]`), 400, policy.CodeInvalid, "env", "must be an object, not an array"},
	{"a variable must be a string", with(`"env":{"A":1}`), 400, policy.CodeInvalid, "env.A", "must be a string, not a number"},
	{"a variable given twice is refused", with(`"env":{"A":"1","A":"2"}`), 400, policy.CodeInvalid, "env.A", "twice"},
	{"a variable's name of a kilobyte is not echoed", with(`"env":{"` + strings.Repeat("x", 1024) + `":1}`), 400, policy.CodeInvalid, "env." + strings.Repeat("x", 60) + "…", "must be a string"},
	{"65 variables are too many", with(`"env":{"a":""` + many(64, `,"v%d":""`) + `}`), 422, policy.CodeTooLarge, "env", "more than 64"},
	{"files must be a list", with(`"files":{"a":"b"}`), 400, policy.CodeInvalid, "files", "must be an array, not an object"},
	{"a file must be an object", with(`"files":["a"]`), 400, policy.CodeInvalid, "files[0]", "must be an object, not a string"},
	{"a file's path must be a string", with(`"files":[{"path":1}]`), 400, policy.CodeInvalid, "files[0].path", "must be a string, not a number"},
	{"a null content is not an absent one", with(`"files":[{"path":"a","content":null,"content_base64":""}]`), 400, policy.CodeInvalid, "files[0].content", "not null"},
	{"an unknown field of a file is named by its path", with(`"files":[{"path":"a","content":"","mode":"x"}]`), 400, policy.CodeInvalid, "files[0].mode", "unknown field"},
	{"half a surrogate pair in a path is refused", with(`"files":[{"path":"a","content":""},{"path":"\udc80","content":""}]`), 400, policy.CodeInvalid, "files[1].path", "surrogate"},
	{"a path given twice is refused", with(`"files":[{"path":"a","path":"b"}]`), 400, policy.CodeInvalid, "files[0].path", "twice"},
	{"the second file's missing path is named", with(`"files":[{"path":"a","content":""},{"content":""}]`), 422, policy.CodeInvalid, "files[1].path", "missing"},
	{"a file without content is refused", with(`"files":[{"path":"a"}]`), 422, policy.CodeInvalid, "files[0].content", "neither"},
	{"a file with both contents is refused", with(`"files":[{"path":"a","content":"","content_base64":""}]`), 422, policy.CodeInvalid, "files[0]", "send one"},
	{"content that is not base64 is refused", with(`"files":[{"path":"a","content_base64":"a*=="}]`), 400, policy.CodeInvalid, "files[0].content_base64", "not base64"},
	{"base64 for URLs is another alphabet", with(`"files":[{"path":"a","content_base64":"-_-_"}]`), 400, policy.CodeInvalid, "files[0].content_base64", "not base64"},
	{"base64 without its padding is refused", with(`"files":[{"path":"a","content_base64":"YQ"}]`), 400, policy.CodeInvalid, "files[0].content_base64", "not base64"},
	{"base64 with stray bits is refused", with(`"files":[{"path":"a","content_base64":"YR=="}]`), 400, policy.CodeInvalid, "files[0].content_base64", "not base64"},
	{"base64 in lines is refused", with(`"files":[{"path":"a","content_base64":"YWJj\nYWJj"}]`), 400, policy.CodeInvalid, "files[0].content_base64", "not base64"},
	{"a path of 201 bytes is too long", with(`"files":[{"path":"` + strings.Repeat("x", 201) + `","content":""}]`), 422, policy.CodeTooLarge, "files[0].path", "the maximum is 200"},
	{"65 files are too many", with(`"files":[{"path":"a","content":""}` + many(64, `,{"path":"a%d","content":""}`) + `]`), 422, policy.CodeTooLarge, "files", "more than 64"},
	{"files cut short are blamed", `{"files":[{"path":"a",`, 400, policy.CodeInvalid, "files[0]", "cut short"},
	{"a comma behind the last file is malformed", with(`"files":[{"path":"a","content":""},]`), 400, policy.CodeInvalid, "files[1]", "malformed"},
	{"what to collect must be a list", with(`"collect":"*.png"`), 400, policy.CodeInvalid, "collect", "must be an array, not a string"},
	{"null collected is not the default", with(`"collect":null`), 400, policy.CodeInvalid, "collect", "must be an array, not null"},
	{"17 globs are too many", with(`"collect":["a"` + strings.Repeat(`,"a"`, 16) + `]`), 422, policy.CodeTooLarge, "collect", "more than 16"},
	{"a glob of 201 bytes is too long", with(`"collect":["` + strings.Repeat("x", 201) + `"]`), 422, policy.CodeTooLarge, "collect[0]", "the maximum is 200"},
	{"an input of two mebibytes and a byte is too large", with(`"args":["a"],"stdin":"` + strings.Repeat("x", 2<<20) + `"`), 422, policy.CodeTooLarge, "stdin", "together"},
	{"packed bytes count unpacked", with(`"stdin":"x","files":[{"path":"a","content_base64":"` + base64.StdEncoding.EncodeToString(make([]byte, 2<<20)) + `"}]`), 422, policy.CodeTooLarge, "files[0]", "together"},
}
