package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/content"
	faults "github.com/pb33f/libopenapi-validator/errors"
	"github.com/pb33f/libopenapi-validator/schema_validation"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// contract is the document, and a library that holds replies against it.
type contract struct {
	model    *v3.Document
	replies  validator.Validator
	headOnly validator.Validator // leaves bodies out
	schemas  schema_validation.SchemaValidator
}

var theContract = sync.OnceValues(func() (*contract, error) {
	document, err := libopenapi.NewDocument(openAPI)
	if err != nil {
		return nil, err
	}
	model, err := document.BuildV3Model()
	if err != nil {
		return nil, err
	}
	options := []config.Option{
		config.WithFormatAssertions(), config.WithContentAssertions(), config.WithRejectUnsupportedBodyContent(),
		config.WithBodyDecoder("text/plain", content.TextDecoder()), config.WithBodyDecoder(streamType, content.TextDecoder()),
	}
	return &contract{
		model:    &model.Model,
		replies:  validator.NewValidatorFromV3Model(&model.Model, options...),
		headOnly: validator.NewValidatorFromV3Model(&model.Model, append(options, config.WithoutResponseBodyValidation())...),
		schemas:  schema_validation.NewSchemaValidator(options...),
	}, nil
})

func agreed(t *testing.T) *contract {
	t.Helper()
	c, err := theContract()
	require.NoError(t, err)
	return c
}

// breach says where a reply is not what the document says of the operation. One that
// is not whole has its status and its headers looked at.
func (c *contract) breach(t *testing.T, route, method string, r reply, whole bool) error {
	t.Helper()
	header := r.Header.Clone()
	if r.Close { // net/http gives the header as this alone
		header.Set("Connection", "close")
	}
	v := c.replies
	if !whole {
		v = c.headOnly
	}
	asked := httptest.NewRequest(strings.ToUpper(method), strings.ReplaceAll(route, "{id}", "x"), nil)
	_, found := v.ValidateHttpResponse(asked, &http.Response{
		StatusCode: r.StatusCode, Header: header, Body: io.NopCloser(strings.NewReader(r.body)),
	})
	err := joined(found)
	switch media := header.Get("Content-Type"); {
	case !whole:
	case media == streamType:
		err = errors.Join(err, c.eventBreach(t, r.body))
	case strings.Contains(media, "json"):
		err = errors.Join(err, valueless(r.body))
	}
	return err
}

// valueless says that a body has no value, which the library lets pass.
func valueless(body string) error {
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		return fmt.Errorf("the body: %w", err)
	}
	if v == nil {
		return errors.New("the body is null")
	}
	return nil
}

// eventBreach says which event of a stream is not what the document says of events.
func (c *contract) eventBreach(t *testing.T, stream string) error {
	t.Helper()
	for _, e := range readEvents(t, strings.NewReader(stream)) {
		var data any
		if err := json.Unmarshal([]byte(e.Data), &data); err != nil {
			return err
		}
		if err := c.valueBreach(c.schema(t, "Event"), object{"id": e.ID, "event": e.Kind, "data": data}); err != nil {
			return fmt.Errorf("event %s: %w", e.ID, err)
		}
	}
	return nil
}

// valueBreach says where a value is not as a schema of the document demands.
func (c *contract) valueBreach(schema *base.SchemaProxy, v any) error {
	_, found := c.schemas.ValidateSchemaObject(schema.Schema(), v)
	return joined(found)
}

func (c *contract) schema(t *testing.T, name string) *base.SchemaProxy {
	t.Helper()
	found := c.model.Components.Schemas.GetOrZero(name)
	require.NotNil(t, found, name)
	return found
}

func joined(found []*faults.ValidationError) error {
	var all []error
	for _, f := range found {
		all = append(all, f)
	}
	return errors.Join(all...)
}

// isDescribed holds each reply that any test of this package gets against the
// document: no handler answers otherwise than it says.
func isDescribed(t *testing.T, method, path string, r reply, whole bool) {
	t.Helper()
	route, _ := routeOf(path)
	c := agreed(t)
	item := c.model.Paths.PathItems.GetOrZero(route)
	if item == nil {
		return // no operation: 404 says so
	}
	operation := strings.ToLower(method)
	if method == http.MethodHead {
		operation, whole = "get", false
	}
	if item.GetOperations().GetOrZero(operation) == nil {
		return // no operation: 405 says so
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
		{"null for a result does not", runPath, answer(200, jsonType, "null"), "the body is null"},
		{"nothing for a result does not", runPath, answer(200, jsonType, ""), "the body: unexpected end"},
		{"a body that is no JSON does not", runPath, answer(200, jsonType, "{"), "cannot be decoded"},
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
