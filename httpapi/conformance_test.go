package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
	for name, header := range described["headers"].(object) {
		header := resolved(c.doc, header)
		value := r.Header.Get(name)
		if name == "Connection" && r.Close { // net/http gives it as this alone
			value = "close"
		}
		if value == "" && dig(header, "required") == false {
			continue
		}
		if assert.NotEmpty(t, value, "%s: header %s", key, name) && dig(header, "schema", "type") == "string" {
			assert.NoError(t, schemaCheck(c.doc, dig(header, "schema").(object), value, name), key)
		}
	}
	c.covered[key] = true
	if described["content"] == nil {
		assert.Empty(t, r.body, key)
		return
	}
	media := r.Header.Get("Content-Type")
	content, ok := dig(described, "content", media).(object)
	if assert.True(t, ok, "%s: %s is not described", key, media) {
		assert.NoError(t, c.body(media, content["schema"].(object), r.body), key)
	}
}

// described gives what the document says of a status.
func described(doc object, route, method string, status int) (object, bool) {
	found := resolved(doc, dig(doc, "paths", route, strings.ToLower(method), "responses", fmt.Sprint(status)))
	return found, found != nil
}

// resolved follows a reference into the document's components.
func resolved(doc object, v any) object {
	o, _ := v.(object)
	if ref, ok := o["$ref"].(string); ok {
		o, _ = dig(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...).(object)
	}
	return o
}

var openAPIDocument = sync.OnceValues(func() (doc object, err error) {
	err = json.Unmarshal(openAPI, &doc)
	return doc, err
})

// isDescribed holds each reply that any test of this package gets against the
// document: a handler cannot answer with a status that is not there.
func isDescribed(t *testing.T, method, target string, status int) {
	t.Helper()
	doc, err := openAPIDocument()
	require.NoError(t, err)
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return
	}
	route, _ := routeOf(u.Path)
	if method == http.MethodHead {
		method = http.MethodGet
	}
	item, ok := dig(doc, "paths", route).(object)
	if _, known := item[strings.ToLower(method)]; !ok || !known {
		return // no operation: 404 and 405 say so
	}
	_, ok = described(doc, route, method, status)
	assert.True(t, ok, "%s %s answered %d, which is not described", method, route, status)
}

// body holds a body of a media type against its schema: each event of a stream
// against that of events.
func (c *conformance) body(media string, schema object, body string) error {
	var v any = body
	switch {
	case strings.Contains(media, "json"):
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			return err
		}
	case media == streamType:
		list := readEvents(c.t, strings.NewReader(body))
		for _, e := range list {
			var data any
			if err := json.Unmarshal([]byte(e.Data), &data); err != nil {
				return err
			}
			event := object{"id": e.ID, "event": e.Kind, "data": data}
			if err := schemaCheck(c.doc, dig(c.doc, "components", "schemas", "Event").(object), event, e.ID); err != nil {
				return err
			}
		}
		if len(list) == 0 || list[len(list)-1].Kind != "done" {
			return fmt.Errorf("the stream has no end: %v", list)
		}
	}
	return schemaCheck(c.doc, schema, v, "$")
}

func TestTheExamplesAreAsTheDocumentSays(t *testing.T) {
	c := &conformance{t: t, doc: document(t)}
	seen := 0
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case object:
			for media, content := range v {
				for name, example := range orNone(content) {
					seen++
					value := dig(example, "value")
					text, ok := value.(string)
					if !ok {
						encoded, err := json.Marshal(value)
						require.NoError(t, err)
						text = string(encoded)
					}
					assert.NoError(t, c.body(media, dig(content, "schema").(object), text), name)
				}
				walk(content)
			}
		}
	}
	walk(c.doc["paths"])
	assert.GreaterOrEqual(t, seen, 8)
	for name, example := range dig(c.doc, "paths", runPath, "post", "requestBody", "content", jsonType, "examples").(object) {
		body, err := json.Marshal(dig(example, "value"))
		require.NoError(t, err)
		_, err = decodeRequest(body)
		assert.NoError(t, err, "the decoder must take what the document shows: %s", name)
	}
}

func orNone(content any) object {
	examples, _ := dig(content, "examples").(object)
	return examples
}

// What the decoder refuses for its form, the schema refuses too, and what it takes
// the schema takes: clients are made from the document.
func TestTheRequestSchemaAndTheDecoderAgree(t *testing.T) {
	doc := document(t)
	schema := dig(doc, "components", "schemas", "Request").(object)
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
			err = schemaCheck(doc, schema, v, "$")
			assert.Equal(t, row.good, err == nil, "schema: %v", err)
		})
	}
}
