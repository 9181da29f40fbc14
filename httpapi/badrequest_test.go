package httpapi

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

// with gives a valid request with more fields.
func with(fields string) string { return `{"language":"python","code":"1",` + fields + `}` }

// badBody is one that must be refused.
type badBody struct {
	name   string
	body   string
	status int
	code   policy.Code
	field  string
	says   string // part of the detail
}

var badBodies = []badBody{
	{"a body of white space is empty", " \n", 400, policy.CodeInvalid, "", "empty"},
	{"a body that is no JSON is malformed", `language=python`, 400, policy.CodeInvalid, "", "malformed"},
	{"a body that is cut short says so", `{"language":"python","code":"prin`, 400, policy.CodeInvalid, "code", "cut short"},
	{"a body cut behind a name blames that name", `{"language":"python","code":`, 400, policy.CodeInvalid, "code", "cut short"},
	{"an object never closed is cut short", `{"language":"python","code":"1"`, 400, policy.CodeInvalid, "", "cut short"},
	{"limits cut short are blamed", with(`"limits":{"timeout_ms":1`)[:40+10], 400, policy.CodeInvalid, "limits", "cut short"},
	{"an array is no request", `[` + hello + `]`, 400, policy.CodeInvalid, "", "must be an object, not an array"},
	{"a string is no request", `"print(1)"`, 400, policy.CodeInvalid, "", "must be an object, not a string"},
	{"null is no request", `null`, 400, policy.CodeInvalid, "", "must be an object, not null"},
	{"a second document is refused", hello + hello, 400, policy.CodeInvalid, "", "something follows"},
	{"a stray bracket behind is refused", hello + "]", 400, policy.CodeInvalid, "", "something follows"},
	{"a comment is refused", `{/* hi */"language":"python","code":"1"}`, 400, policy.CodeInvalid, "", "malformed"},
	{"a trailing comma is refused", `{"language":"python","code":"1",}`, 400, policy.CodeInvalid, "", "malformed"},
	{"a missing comma is refused", `{"language":"python" "code":"1"}`, 400, policy.CodeInvalid, "", "malformed"},
	{"single quotes are refused", `{'language':'python'}`, 400, policy.CodeInvalid, "", "malformed"},
	{"a byte order mark is refused", "\ufeff" + hello, 400, policy.CodeInvalid, "", "malformed"},

	{"an unknown field is named", with(`"languge":"x"`), 400, policy.CodeInvalid, "languge", "unknown field"},
	{"another case is another field", with(`"Policy":"strict"`), 400, policy.CodeInvalid, "Policy", "unknown field"},
	{"an unknown limit is named by its path", with(`"limits":{"max_cpu":1}`), 400, policy.CodeInvalid, "limits.max_cpu", "unknown field"},
	{"a dotted name is no path", with(`"limits.timeout_ms":1`), 400, policy.CodeInvalid, "limits.timeout_ms", "unknown field"},
	{"a field given twice is refused", with(`"code":"2"`), 400, policy.CodeInvalid, "code", "twice"},
	{"an escaped twin is still twice", with(`"\u0063ode":"2"`), 400, policy.CodeInvalid, "code", "twice"},
	{"limits given twice are refused", with(`"limits":{},"limits":{}`), 400, policy.CodeInvalid, "limits", "twice"},
	{"a limit given twice is refused", with(`"limits":{"timeout_ms":1,"timeout_ms":2}`), 400, policy.CodeInvalid, "limits.timeout_ms", "twice"},

	{"the fields that there are are said", with(`"timeout":1`), 400, policy.CodeInvalid, "timeout", "there are args, code, collect, env, files, language, limits, policy"},
	{"a limit beside limits is told where it belongs", with(`"timeout_ms":1`), 400, policy.CodeInvalid, "timeout_ms", "members of limits"},
	{"the limits that there are are said", with(`"limits":{"timeout":1}`), 400, policy.CodeInvalid, "limits.timeout", "limits may have max_memory_mb, max_stderr_bytes, max_stdout_bytes, timeout_ms"},
	{"a limit that results show and no request may set", with(`"limits":{"max_pids":1}`), 400, policy.CodeInvalid, "limits.max_pids", "limits.max_pids is fixed by the operator"},
	{"what a file may have is said", with(`"files":[{"name":"a"}]`), 400, policy.CodeInvalid, "files[0].name", "may have content, content_base64, path"},

	{"a language must be a string", `{"language":3,"code":"1"}`, 400, policy.CodeInvalid, "language", "must be a string, not a number"},
	{"code must be a string", `{"language":"python","code":["1"]}`, 400, policy.CodeInvalid, "code", "must be a string, not an array"},
	{"a policy must be a name or an object", with(`"policy":true`), 400, policy.CodeInvalid, "policy", "must be a string or an object, not a boolean"},
	{"a list of policies is none", with(`"policy":["strict"]`), 400, policy.CodeInvalid, "policy", "must be a string or an object, not an array"},
	{"a null policy is not an absent policy", with(`"policy":null`), 400, policy.CodeInvalid, "policy", "not null"},
	{"an unknown field of a policy is named by its path", with(`"policy":{"allow":["os"]}`), 400, policy.CodeInvalid, "policy.allow", "unknown field"},
	{"a level given twice is refused", with(`"policy":{"level":"a","level":"b"}`), 400, policy.CodeInvalid, "policy.level", "twice"},
	{"a level must be a string", with(`"policy":{"level":{}}`), 400, policy.CodeInvalid, "policy.level", "must be a string, not an object"},
	{"denying must be a list", with(`"policy":{"deny":"os"}`), 400, policy.CodeInvalid, "policy.deny", "must be an array, not a string"},
	{"null denied is not nothing denied", with(`"policy":{"deny":null}`), 400, policy.CodeInvalid, "policy.deny", "must be an array, not null"},
	{"each denied name must be a string", with(`"policy":{"deny":["os",3]}`), 400, policy.CodeInvalid, "policy.deny[1]", "must be a string, not a number"},
	{"lists of denied names do not nest", with(`"policy":{"deny":[["os"]]}`), 400, policy.CodeInvalid, "policy.deny[0]", "must be a string, not an array"},
	{"a list of denied names cut short is blamed", `{"language":"py","code":"1","policy":{"deny":["os",`, 400, policy.CodeInvalid, "policy.deny[1]", "cut short"},
	{"a trailing comma among denied names is malformed", with(`"policy":{"deny":["os",]}`), 400, policy.CodeInvalid, "policy.deny[1]", "malformed"},
	{"limits must be an object", with(`"limits":5`), 400, policy.CodeInvalid, "limits", "must be an object, not a number"},
	{"a limit must be a number", with(`"limits":{"timeout_ms":"5"}`), 400, policy.CodeInvalid, "limits.timeout_ms", "not a string"},
	{"null code is not absent code", `{"language":"python","code":null}`, 400, policy.CodeInvalid, "code", "not null"},
	{"null limits are not absent limits", with(`"limits":null`), 400, policy.CodeInvalid, "limits", "not null"},
	{"a null limit is not an absent limit", with(`"limits":{"timeout_ms":null}`), 400, policy.CodeInvalid, "limits.timeout_ms", "not null"},
	{"NaN is no number", with(`"limits":{"timeout_ms":NaN}`), 400, policy.CodeInvalid, "limits.timeout_ms", "malformed"},
	{"Infinity is no number", with(`"limits":{"timeout_ms":Infinity}`), 400, policy.CodeInvalid, "limits.timeout_ms", "malformed"},
	{"a hexadecimal number stops at its zero", with(`"limits":{"timeout_ms":0x10}`), 422, policy.CodeInvalid, "limits.timeout_ms", "is 0"},
	{"a unit behind a number is malformed", with(`"limits":{"timeout_ms":10ms}`), 400, policy.CodeInvalid, "limits", "malformed"},
	{"a leading zero stops there", with(`"limits":{"timeout_ms":010}`), 422, policy.CodeInvalid, "limits.timeout_ms", "is 0"},
	{"a fraction is refused", with(`"limits":{"timeout_ms":1.5}`), 400, policy.CodeInvalid, "limits.timeout_ms", "whole number"},
	{"a fraction of zero is refused", with(`"limits":{"timeout_ms":5.0}`), 400, policy.CodeInvalid, "limits.timeout_ms", "whole number"},
	{"an exponent is refused", with(`"limits":{"timeout_ms":1e3}`), 400, policy.CodeInvalid, "limits.timeout_ms", "whole number"},
	{"a number over 64 bits is refused", with(`"limits":{"max_memory_mb":9223372036854775808}`), 422, policy.CodeInvalid, "limits.max_memory_mb", "64 bits"},
	{"a negative number over 64 bits is refused", with(`"limits":{"max_memory_mb":-9223372036854775809}`), 422, policy.CodeInvalid, "limits.max_memory_mb", "64 bits"},
	{"a number of a thousand digits is refused", with(`"limits":{"max_memory_mb":` + strings.Repeat("9", 1000) + `}`), 422, policy.CodeInvalid, "limits.max_memory_mb", "64 bits"},
	{"a negative limit is refused", with(`"limits":{"max_stdout_bytes":-1}`), 422, policy.CodeInvalid, "limits.max_stdout_bytes", "is -1"},
	{"zero is not unlimited", with(`"limits":{"max_stderr_bytes":0}`), 422, policy.CodeInvalid, "limits.max_stderr_bytes", "is 0"},
	{"minus zero is zero", with(`"limits":{"timeout_ms":-0}`), 422, policy.CodeInvalid, "limits.timeout_ms", "is 0"},

	{"deep arrays stop at the first", with(`"policy":` + strings.Repeat("[", 100000)), 400, policy.CodeInvalid, "policy", "not an array"},
	{"deep objects stop at the first", strings.Repeat(`{"limits":`, 100000), 400, policy.CodeInvalid, "limits.limits", "unknown field"},
	{"bytes that are not UTF-8 are refused", "{\"language\":\"python\",\"code\":\"\xff\"}", 400, policy.CodeInvalid, "", "UTF-8"},
	{"an overlong encoding is refused", "{\"language\":\"python\",\"code\":\"\xc0\xaf\"}", 400, policy.CodeInvalid, "", "UTF-8"},
	{"an encoded surrogate is refused", "{\"language\":\"python\",\"code\":\"\xed\xa0\x80\"}", 400, policy.CodeInvalid, "", "UTF-8"},
	{"half a surrogate pair is refused", `{"language":"python","code":"\ud800"}`, 400, policy.CodeInvalid, "code", "surrogate"},
	{"the other half alone is refused", `{"language":"python","code":"a\uDC00"}`, 400, policy.CodeInvalid, "code", "surrogate"},
	{"two first halves are refused", `{"language":"python","code":"\ud800\ud800\udc00"}`, 400, policy.CodeInvalid, "code", "surrogate"},
	{"half a pair before an escape is refused", `{"language":"python","code":"\ud800\n"}`, 400, policy.CodeInvalid, "code", "surrogate"},
	{"half a pair in a name is refused", `{"\ud800":1}`, 400, policy.CodeInvalid, "", "surrogate"},
	{"a raw line feed in a string is malformed", "{\"language\":\"python\",\"code\":\"a\nb\"}", 400, policy.CodeInvalid, "code", "malformed"},
	{"an unknown escape is malformed", `{"language":"python","code":"\x41"}`, 400, policy.CodeInvalid, "code", "malformed"},

	{"a missing language is named", `{"code":"1"}`, 422, policy.CodeInvalid, "language", "missing"},
	{"missing code is named", `{"language":"python"}`, 422, policy.CodeInvalid, "code", "missing"},
	{"empty code is refused", `{"language":"python","code":""}`, 422, policy.CodeInvalid, "code", "empty"},
	{"an empty level is not the default", with(`"policy":{"level":""}`), 422, policy.CodeInvalid, "policy.level", "empty"},
	{"a level of a kilobyte is not echoed", with(`"policy":{"level":"` + strings.Repeat("x", 1024) + `"}`), 422, policy.CodeInvalid, "policy.level", "longer"},
	{"a denied name of a kilobyte is not echoed", with(`"policy":{"deny":["` + strings.Repeat("x", 1024) + `"]}`), 422, policy.CodeTooLarge, "policy.deny[0]", "the maximum is 64"},
	{"101 denied names are too many", with(`"policy":{"deny":["a"` + strings.Repeat(`,"a"`, 100) + `]}`), 422, policy.CodeTooLarge, "policy.deny", "more than 100"},
	{"an empty policy is not the default", with(`"policy":""`), 422, policy.CodeInvalid, "policy", "empty"},
	{"an unknown start mode is refused", with(`"start_mode":"tepid"`), 422, policy.CodeInvalid, "start_mode", "unknown start_mode"},
	{"an unknown language is refused", `{"language":"perl","code":"1"}`, 422, policy.CodeInvalid, "language", "unknown language"},
	{"a language has one case", `{"language":"Python","code":"1"}`, 422, policy.CodeInvalid, "language", "unknown language"},
	{"a language of a megabyte is not echoed", `{"language":"` + strings.Repeat("x", 1<<20) + `","code":"1"}`, 422, policy.CodeInvalid, "language", "longer"},
	{"code over a mebibyte is too large", `{"language":"python","code":"` + strings.Repeat("x", 1<<20+1) + `"}`, 422, policy.CodeTooLarge, "code", "maximum"},
	{"a body over its bound is too large", `{"language":"python","code":"` + strings.Repeat("x", maxBody) + `"}`, 413, policy.CodeTooLarge, "", "too large"},
}

func TestBadBodiesAreProblemsAndStartNothing(t *testing.T) {
	var runs atomic.Int64
	d := start(t, Config{Executor: executorFunc(func(ctx context.Context, r policy.Request) (*policy.Result, error) {
		runs.Add(1)
		return echo(ctx, r)
	})})
	for _, path := range []string{runPath, asyncPath} {
		for _, row := range slices.Concat(badBodies, badInputs) {
			t.Run(path+" "+row.name, func(t *testing.T) {
				// A body that is over the bound is only announced, as curl does.
				r := d.do("POST", path, row.body, "Expect", map[bool]string{true: "100-continue"}[len(row.body) > maxBody])
				assert.Equal(t, row.status, r.StatusCode, r.body)
				p := r.problem(t)
				assert.Equal(t, row.code, p.Code)
				assert.Equal(t, row.field, p.Field)
				assert.Contains(t, p.Detail, row.says)
				assert.Less(t, len(r.body), 1000, "a reply must not echo a caller's megabytes")
			})
		}
	}
	assert.Zero(t, runs.Load(), "a bad request started a run")
}

func TestGoodBodiesArrive(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, row := range []struct {
		name string
		body string
		want policy.Request
	}{
		{"the smallest request", `{"language":"py","code":"1"}`, policy.Request{Language: "py", Code: "1"}},
		{"white space around it", " \r\n\t" + `{ "language" : "js" , "code" : "1" }` + "\n", policy.Request{Language: "js", Code: "1"}},
		{"every field", `{"language":"python","code":"1","policy":"relaxed","profile":"p","start_mode":"cold","limits":{"timeout_ms":1,"max_memory_mb":2,"max_stdout_bytes":3,"max_stderr_bytes":9223372036854775807}}`,
			policy.Request{Language: "python", Code: "1", Level: "relaxed", Profile: "p", StartMode: "cold", Limits: policy.LimitsRequest{
				TimeoutMS: n(1), MaxMemoryMB: n(2), MaxStdoutBytes: n(3), MaxStderrBytes: n(9223372036854775807)}}},
		{"a policy by its object", with(`"policy":{"level":"strict","deny":["random","xml.etree"]}`), policy.Request{Language: "python", Code: "1", Level: "strict", Deny: []string{"random", "xml.etree"}}},
		{"a policy that only denies", with(`"policy":{"deny":["random"]}`), policy.Request{Language: "python", Code: "1", Deny: []string{"random"}}},
		{"a policy that says nothing", with(`"policy":{}`), policy.Request{Language: "python", Code: "1"}},
		{"a policy that denies nothing", with(`"policy":{"deny":[]}`), policy.Request{Language: "python", Code: "1"}},
		{"empty limits", with(`"limits":{}`), policy.Request{Language: "python", Code: "1"}},
		{"every input", with(`"stdin":"in\u0000","args":["-n",""],"env":{"A":"1","":""},"files":[{"path":"a/b","content":"text"},{"content_base64":"AP8=","path":"c"}],"collect":["*.png"]`),
			policy.Request{Language: "python", Code: "1", Collect: []string{"*.png"}, Input: policy.Input{
				Stdin: "in\x00", Args: []string{"-n", ""}, Env: map[string]string{"A": "1", "": ""},
				Files: []policy.InputFile{{Path: "a/b", Content: []byte("text")}, {Path: "c", Content: []byte{0, 255}}}}}},
		{"an empty file, written in both ways", with(`"files":[{"path":"a","content":""},{"path":"b","content_base64":""}]`),
			policy.Request{Language: "python", Code: "1", Input: policy.Input{Files: []policy.InputFile{{Path: "a", Content: []byte{}}, {Path: "b", Content: []byte{}}}}}},
		{"nothing collected is not the same as nothing said", with(`"collect":[]`), policy.Request{Language: "python", Code: "1", Collect: []string{}}},
		{"empty inputs", with(`"stdin":"","args":[],"env":{},"files":[]`), policy.Request{Language: "python", Code: "1"}},
		{"the largest input, six bytes of JSON each", with(`"stdin":"` + strings.Repeat(`\u0000`, 2<<20) + `"`),
			policy.Request{Language: "python", Code: "1", Input: policy.Input{Stdin: strings.Repeat("\x00", 2<<20)}}},
		{"an escaped name", `{"l\u0061nguage":"python","code":"1"}`, policy.Request{Language: "python", Code: "1"}},
		{"a whole surrogate pair", `{"language":"python","code":"\ud83d\ude00"}`, policy.Request{Language: "python", Code: "😀"}},
		{"a backslash before what looks like one", `{"language":"python","code":"\\ud800"}`, policy.Request{Language: "python", Code: `\ud800`}},
		{"a NUL", `{"language":"python","code":"a\u0000"}`, policy.Request{Language: "python", Code: "a\x00"}},
		{"a mebibyte of NULs, six bytes each", `{"language":"python","code":"` + strings.Repeat(`\u0000`, 1<<20) + `"}`,
			policy.Request{Language: "python", Code: strings.Repeat("\x00", 1<<20)}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := decodeRequest([]byte(row.body))
			assert.NoError(t, err)
			assert.Equal(t, row.want, got)
		})
	}
}

func FuzzDecodeRequest(f *testing.F) {
	for _, row := range slices.Concat(badBodies, badInputs) {
		if len(row.body) < 1000 {
			f.Add([]byte(row.body))
		}
	}
	f.Add([]byte(hello))
	f.Add([]byte(with(`"stdin":"a","args":["b"],"env":{"C":"d"},"files":[{"path":"e","content":"f"},{"path":"g","content_base64":"aA=="}],"collect":["*"]`)))
	f.Add([]byte(with(`"limits":{"timeout_ms":1}`)))
	f.Add([]byte(with(`"policy":{"level":"strict","deny":["random","xml.etree"]}`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := decodeRequest(body)
		if err != nil {
			p := ProblemOf(err)
			assert.GreaterOrEqual(t, p.Status, 400)
			assert.Less(t, p.Status, 500, "%v", err)
			_, err := json.Marshal(p)
			assert.NoError(t, err)
			return
		}
		// What the strict decoder takes, the kind one must read alike.
		var loose struct {
			Language, Code, Profile string
			StartMode               string `json:"start_mode"`
			Policy                  json.RawMessage
			Stdin                   string
			Args, Collect           []string
			Env                     map[string]string
			Files                   []struct {
				Path    string
				Content *string
				Base64  []byte `json:"content_base64"`
			}
			Limits struct {
				TimeoutMS      *int64 `json:"timeout_ms"`
				MaxMemoryMB    *int64 `json:"max_memory_mb"`
				MaxStdoutBytes *int64 `json:"max_stdout_bytes"`
				MaxStderrBytes *int64 `json:"max_stderr_bytes"`
			}
		}
		assert.NoError(t, json.Unmarshal(body, &loose))
		var narrowed struct {
			Level string
			Deny  []string
		}
		switch {
		case len(loose.Policy) > 0 && loose.Policy[0] == '"':
			assert.NoError(t, json.Unmarshal(loose.Policy, &narrowed.Level))
		case loose.Policy != nil:
			assert.NoError(t, json.Unmarshal(loose.Policy, &narrowed))
		}
		if len(narrowed.Deny) == 0 {
			narrowed.Deny = nil
		}
		assert.LessOrEqual(t, len(req.Deny), policy.MaxDeny)
		in := policy.Input{Stdin: loose.Stdin}
		if len(loose.Args) > 0 {
			in.Args = loose.Args
		}
		if len(loose.Env) > 0 {
			in.Env = loose.Env
		}
		for _, f := range loose.Files {
			content := append([]byte{}, f.Base64...)
			if f.Content != nil {
				content = []byte(*f.Content)
			}
			in.Files = append(in.Files, policy.InputFile{Path: f.Path, Content: content})
		}
		assert.Equal(t, policy.Request{
			Input: in, Collect: loose.Collect,
			Language: loose.Language, Code: loose.Code, Level: narrowed.Level, Deny: narrowed.Deny, Profile: loose.Profile, StartMode: loose.StartMode,
			Limits: policy.LimitsRequest(loose.Limits),
		}, req)
		for _, v := range []*int64{req.Limits.TimeoutMS, req.Limits.MaxMemoryMB, req.Limits.MaxStdoutBytes, req.Limits.MaxStderrBytes} {
			assert.True(t, v == nil || *v > 0)
		}
		assert.NotEmpty(t, req.Code)
		assert.LessOrEqual(t, len(req.Code), policy.MaxCodeBytes)
	})
}
