package httpapi

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// strict is a schema of JSON Schema 2020-12 in which each keyword is one that JSON Schema
// knows: a misspelt one would check nothing.
const strict = `{
	"$id": "urn:strict", "$schema": "https://json-schema.org/draft/2020-12/schema",
	"$dynamicAnchor": "meta",
	"$ref": "https://json-schema.org/draft/2020-12/schema",
	"unevaluatedProperties": false
}`

// documentFault says where a text is no OpenAPI document.
func documentFault(text []byte) error {
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return err
	}
	if err := document.Validate(context.Background(), openapi3.DisableExamplesValidation()); err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(strict))
	if err != nil {
		return err
	}
	if err := compiler.AddResource("urn:strict", parsed); err != nil {
		return err
	}
	schema, err := compiler.Compile("urn:strict")
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schemaFault(schema, doc)
}

// schemaFault holds each schema of a document against one for schemas.
func schemaFault(schema *jsonschema.Schema, v any) error {
	var all []any
	switch v := v.(type) {
	case object:
		for name, one := range v {
			if name == "schema" {
				all = append(all, one)
			} else if err := schemaFault(schema, one); err != nil {
				return err
			}
		}
		components, _ := v["schemas"].(object)
		all = slices.AppendSeq(all, maps.Values(components))
	case []any:
		for _, one := range v {
			if err := schemaFault(schema, one); err != nil {
				return err
			}
		}
	}
	for _, one := range all {
		if err := schema.Validate(one); err != nil {
			return err
		}
	}
	return nil
}

func TestTheDocumentIsOpenAPI(t *testing.T) {
	require.NoError(t, documentFault(openAPI))
	for _, row := range []struct{ name, old, new, says string }{
		{"a version that is none", `"openapi": "3.1.0"`, `"openapi": "3"`, "for OpenAPI >=3.1"},
		{"a field of an operation that is none", `"operationId": "run"`, `"operationID": "run"`, "operationID"},
		{"a misspelt keyword", `"maxItems"`, `"maxItem"`, "maxItem"},
		{"a keyword of OpenAPI 3.0", `"type": ["integer", "null"]`, `"type": "integer", "nullable": true`, "nullable"},
		{"a minimum that is no number", `"minimum": 0`, `"minimum": "0"`, "minimum"},
		{"a type that is none", `"type": "integer"`, `"type": "int"`, "type"},
		{"a reference to nothing", `"#/components/schemas/Problem"`, `"#/components/schemas/Fault"`, "Fault"},
		{"a parameter that is nowhere", `{"name": "id", "in": "path"`, `{"name": "job", "in": "path"`, "must define exactly all path parameters"},
		{"two operations of one name", `"operationId": "submit"`, `"operationId": "run"`, "have the same operation id"},
		{"a header without a schema", `"Retry-After": {"required": true, "schema": {"type": "integer"}}`, `"Retry-After": {"required": true}`, "exactly one of content and schema"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := strings.Replace(string(openAPI), row.old, row.new, 1)
			require.NotEqual(t, string(openAPI), text)
			assert.ErrorContains(t, documentFault([]byte(text)), row.says)
		})
	}
}
