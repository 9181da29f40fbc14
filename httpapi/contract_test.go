package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// contract is the document, against which a library holds values: a schema of OpenAPI 3.1
// is one of JSON Schema 2020-12.
type contract struct {
	doc object

	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

var theContract = sync.OnceValues(func() (*contract, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(openAPI))
	if err != nil {
		return nil, err
	}
	c := &contract{doc: doc.(object), compiler: jsonschema.NewCompiler()}
	c.compiler.AssertFormat()
	c.compiler.AssertContent()
	return c, c.compiler.AddResource(documentURL, doc)
})

const documentURL = "urn:document"

func agreed(t *testing.T) *contract {
	t.Helper()
	c, err := theContract()
	require.NoError(t, err)
	return c
}

// at gives what stands at a path of the document, and the path of that: another one where
// a reference stands.
func (c *contract) at(path ...string) (object, []string) {
	found, _ := dig(c.doc, path...).(object)
	if ref, ok := found["$ref"].(string); ok {
		return c.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return found, path
}

// holds says where a value is not as the schema at a path demands.
func (c *contract) holds(v any, path ...string) error {
	pointer := documentURL + "#"
	for _, name := range path {
		pointer += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	c.mu.Lock()
	schema, err := c.compiler.Compile(pointer)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return schema.Validate(v)
}

// breach says where a reply is not what the document says of the operation. One that
// is not whole has its status and its headers looked at.
func (c *contract) breach(t *testing.T, route, method string, r reply, whole bool) error {
	t.Helper()
	response, where := c.at("paths", route, strings.ToLower(method), "responses", strconv.Itoa(r.StatusCode))
	if response == nil {
		return fmt.Errorf("status %d is not described", r.StatusCode)
	}
	headers, _ := response["headers"].(object)
	for name := range headers {
		if err := c.headerBreach(r, name, slices.Concat(where, []string{"headers", name})); err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
	}
	if !whole {
		return nil
	}
	content, _ := response["content"].(object)
	media := r.Header.Get("Content-Type")
	switch {
	case content == nil && r.body == "":
		return nil
	case content[media] == nil:
		return fmt.Errorf("media type %q is not described", media)
	}
	var body any = r.body
	if strings.Contains(media, "json") {
		var err error
		if body, err = jsonschema.UnmarshalJSON(strings.NewReader(r.body)); err != nil {
			return fmt.Errorf("the body: %w", err)
		}
	}
	if err := c.holds(body, slices.Concat(where, []string{"content", media, "schema"})...); err != nil || media != streamType {
		return err
	}
	return c.eventBreach(t, r.body)
}

func (c *contract) headerBreach(r reply, name string, path []string) error {
	header, where := c.at(path...)
	text := r.Header.Get(name)
	if name == "Connection" && r.Close { // net/http gives the header as this alone
		text = "close"
	}
	if text == "" {
		if header["required"] == true {
			return errors.New("is missing")
		}
		return nil
	}
	var value any = text
	schema, where := c.at(append(where, "schema")...)
	if _, err := strconv.Atoi(text); err == nil && schema["type"] == "integer" {
		value = json.Number(text)
	}
	return c.holds(value, where...)
}

// eventBreach says which event of a stream is not what the document says of events.
func (c *contract) eventBreach(t *testing.T, stream string) error {
	t.Helper()
	for _, e := range readEvents(t, strings.NewReader(stream)) {
		data, err := jsonschema.UnmarshalJSON(strings.NewReader(e.Data))
		if err != nil {
			return err
		}
		if err := c.holds(object{"id": e.ID, "event": e.Kind, "data": data}, "components", "schemas", "Event"); err != nil {
			return fmt.Errorf("event %s: %w", e.ID, err)
		}
	}
	return nil
}

// isDescribed holds each reply that any test of this package gets against the
// document: no handler answers otherwise than it says.
func isDescribed(t *testing.T, method, path string, r reply, whole bool) {
	t.Helper()
	route, _ := routeOf(path)
	c := agreed(t)
	operation := strings.ToLower(method)
	if method == http.MethodHead {
		operation, whole = "get", false
	}
	if dig(c.doc, "paths", route, operation) == nil {
		return // no operation: 404 or 405 says so
	}
	assert.NoError(t, c.breach(t, route, operation, r, whole), "%s %s answered %d", method, path, r.StatusCode)
}

// answer is a reply with the headers that all of ours have, and further ones.
func answer(status int, media, body string, headers ...string) reply {
	r := reply{&http.Response{StatusCode: status, Header: http.Header{}}, body}
	for _, h := range slices.Collect(slices.Chunk(append([]string{
		"Content-Type", media, "X-Request-Id", "r", "Traceparent", "00-" + strings.Repeat("a", 32) + "-" + strings.Repeat("b", 16) + "-01",
	}, headers...), 2)) {
		r.Header.Set(h[0], h[1])
	}
	return r
}

func TestAWrongReplyIsCaught(t *testing.T) {
	good, err := json.Marshal(full().Whole())
	require.NoError(t, err)
	result := func(edit func(object)) reply {
		var o object
		require.NoError(t, json.Unmarshal(good, &o))
		edit(o)
		text, err := json.Marshal(o)
		require.NoError(t, err)
		return answer(200, jsonType, string(text))
	}
	event := func(kind, data string) reply {
		return answer(200, streamType, "id: 1.1\nevent: "+kind+"\ndata: "+data+"\n\n")
	}
	posture := func(time string) reply {
		return answer(200, jsonType, `{"kernel":"k","cgroup":"v2","layers":[],"check":{"time":"`+time+`","held":true,"probes":1,"detail":"","unasked":"","ms":1},`+
			`"quarantined_leaves":0,"spares":0,"templates":0,"cgroup_parent":"c","uids":{"first":1,"count":1},"processes":[]}`)
	}
	const busy = `{"type":"urn:safe-exec:problem:busy","title":"t","status":429,"detail":"d","code":"busy"}`
	for _, row := range []struct {
		name  string
		route string
		reply reply
		says  string // empty for a reply that is right
	}{
		{"a whole result passes", runPath, result(func(object) {}), ""},
		{"a missing field does not", runPath, result(func(o object) { delete(o, "stdout") }), "missing property 'stdout'"},
		{"a field too many does not", runPath, result(func(o object) { o["x"] = 1.0 }), "'x' not allowed"},
		{"a field too many deep down does not", runPath, result(func(o object) { dig(o, "termination").(object)["x"] = 1.0 }), "'x' not allowed"},
		{"a string for a number does not", runPath, result(func(o object) { o["exit_code"] = "0" }), "got string, want null or integer"},
		{"a fraction for a whole number does not", runPath, result(func(o object) { o["exit_code"] = 0.5 }), "got number, want null or integer"},
		{"null for a list does not", runPath, result(func(o object) { o["files"] = nil }), "got null, want array"},
		{"a status that is none does not", runPath, result(func(o object) { o["status"] = "fine" }), "value must be one of"},
		{"a file that is no base64 does not", runPath, result(func(o object) { o["files"].([]any)[1].(object)["content_base64"] = "*" }), "base64"},
		{"null for a result does not", runPath, answer(200, jsonType, "null"), "got null, want object"},
		{"nothing for a result does not", runPath, answer(200, jsonType, ""), "the body: EOF"},
		{"a body that is no JSON does not", runPath, answer(200, jsonType, "{"), "the body: unexpected EOF"},
		{"another media type does not", runPath, answer(200, "text/html", string(good)), "text/html"},
		{"a status that is not described does not", runPath, answer(418, ProblemType, busy), "418"},
		{"a time passes", "/v1/posture", posture("2026-01-02T03:04:05Z"), ""},
		{"a time that is none does not", "/v1/posture", posture("yesterday"), "date-time"},
		{"a refusal with its header passes", runPath, answer(429, ProblemType, busy, "Retry-After", "1"), ""},
		{"a header that is missing does not", runPath, answer(429, ProblemType, busy), "Retry-After"},
		{"a header that is no number does not", runPath, answer(429, ProblemType, busy, "Retry-After", "soon"), "got string, want integer"},
		{"a header of another form does not", runPath, answer(429, ProblemType, busy, "Retry-After", "1", "Traceparent", "00-1"), "does not match pattern"},
		{"an event passes", runPath, event("started", `{"attempt":1}`), ""},
		{"an event of another kind does not", runPath, event("begun", `{"attempt":1}`), "event 1.1: "},
		{"an event with a field too many does not", runPath, event("started", `{"attempt":1,"x":1}`), "event 1.1: "},
	} {
		t.Run(row.name, func(t *testing.T) {
			method := http.MethodPost
			if row.route != runPath {
				method = http.MethodGet
			}
			err := agreed(t).breach(t, row.route, method, row.reply, true)
			if row.says == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, row.says)
			}
		})
	}
}
