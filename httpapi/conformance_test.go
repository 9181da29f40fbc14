package httpapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type object = map[string]any

// conformance holds replies against the document, and knows which it has seen.
type conformance struct {
	t       *testing.T
	doc     object
	covered map[string]bool
}

func (c *conformance) check(d *daemon, route, method, path, body string, status int, headers ...string) reply {
	t := c.t
	t.Helper()
	r := d.do(method, path, body, headers...)
	assert.Equal(t, status, r.StatusCode, "%s %s: %s", method, path, r.body)
	c.holds(r, route, method)
	return r
}

// holds compares a reply with what the document says of an operation.
func (c *conformance) holds(r reply, route, method string) {
	t := c.t
	t.Helper()
	key := fmt.Sprintf("%s %s %d", method, route, r.StatusCode)
	described, ok := described(c.doc, route, method, r.StatusCode)
	if !assert.True(t, ok, "%s is not described", key) {
		return
	}
	c.covered[key] = true
	for _, name := range []string{"X-Request-Id", "Traceparent"} { // of any request that was read
		assert.NotEmpty(t, r.Header.Get(name), "%s: %s", key, name)
	}
	assert.NoError(t, agreed(t).breach(t, route, method, r, true), key)
	if described["content"] == nil {
		assert.Empty(t, r.body, key)
		return
	}
	media := r.Header.Get("Content-Type")
	assert.NotNil(t, dig(described, "content", media), "%s: %s is not described", key, media)
	if media == streamType {
		list := readEvents(t, strings.NewReader(r.body))
		assert.True(t, len(list) > 0 && list[len(list)-1].Kind == "done", "%s: the stream has no end: %v", key, list)
	}
}

// described gives what the document says of a status.
func described(doc object, route, method string, status int) (object, bool) {
	found := resolved(doc, dig(doc, "paths", route, strings.ToLower(method), "responses", fmt.Sprint(status)))
	return found, found != nil
}

func dig(v any, path ...string) any {
	for _, p := range path {
		m, ok := v.(object)
		if !ok {
			return nil
		}
		v = m[p]
	}
	return v
}

// resolved follows a reference into the document's components.
func resolved(doc object, v any) object {
	o, _ := v.(object)
	if ref, ok := o["$ref"].(string); ok {
		o, _ = dig(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...).(object)
	}
	return o
}

func TestTheExamplesAreAsTheDocumentSays(t *testing.T) {
	c := agreed(t)
	seen := 0
	hold := func(path ...string) {
		body, path := c.at(path...)
		content, _ := body["content"].(object)
		for media := range content {
			examples, _ := dig(content, media, "examples").(object)
			for name := range examples {
				seen++
				example, _ := c.at(slices.Concat(path, []string{"content", media, "examples", name})...)
				assert.NoError(t, c.holds(example["value"], slices.Concat(path, []string{"content", media, "schema"})...), name)
				if media == streamType {
					assert.NoError(t, c.eventBreach(t, example["value"].(string)), name)
				}
			}
		}
	}
	for route, item := range c.doc["paths"].(object) {
		for method := range item.(object) {
			hold("paths", route, method, "requestBody")
			for status := range dig(item, method, "responses").(object) {
				hold("paths", route, method, "responses", status)
			}
		}
	}
	assert.GreaterOrEqual(t, seen, 8)
	for name, example := range dig(document(t), "paths", runPath, "post", "requestBody", "content", jsonType, "examples").(object) {
		body, err := json.Marshal(dig(example, "value"))
		require.NoError(t, err)
		_, err = decodeRequest(body)
		assert.NoError(t, err, "the decoder must take what the document shows: %s", name)
	}
}

// What the decoder refuses for its form, the schema refuses too, and what it takes
// the schema takes: clients are made from the document.
func TestTheRequestSchemaAndTheDecoderAgree(t *testing.T) {
	c := agreed(t)
	for _, row := range []struct {
		name, body string
		good       bool
	}{
		{"every input", with(`"stdin":"a","args":["b"],"env":{"C":"d"},"files":[{"path":"e","content":"f"},{"path":"g","content_base64":"aA=="}],"collect":["*"]`), true},
		{"empty inputs", with(`"stdin":"","args":[],"env":{},"files":[],"collect":[]`), true},
		{"a file with both contents", with(`"files":[{"path":"e","content":"f","content_base64":"aA=="}]`), false},
		{"a file with none", with(`"files":[{"path":"e"}]`), false},
		{"a file without path", with(`"files":[{"content":"e"}]`), false},
		{"a field of a file that is none", with(`"files":[{"path":"e","content":"f","mode":"x"}]`), false},
		{"a content that is no base64", with(`"files":[{"path":"e","content_base64":"a*=="}]`), false},
		{"a variable that is a number", with(`"env":{"A":1}`), false},
		{"65 arguments", with(`"args":["a"` + strings.Repeat(`,"a"`, 64) + `]`), false},
		{"65 variables", with(`"env":{"a":""` + many(64, `,"v%d":""`) + `}`), false},
		{"17 globs", with(`"collect":["a"` + strings.Repeat(`,"a"`, 16) + `]`), false},
		{"null stdin", with(`"stdin":null`), false},
		{"an unknown field", with(`"stdout":""`), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			var v any
			require.NoError(t, json.Unmarshal([]byte(row.body), &v))
			_, err := decodeRequest([]byte(row.body))
			assert.Equal(t, row.good, err == nil, "decoder: %v", err)
			err = c.holds(v, "components", "schemas", "Request")
			assert.Equal(t, row.good, err == nil, "schema: %v", err)
		})
	}
}
