package httpapi

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/pb33f/jsonschema/v6"
	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi/datamodel"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// strict is OpenAPI 3.1 with schemas of JSON Schema 2020-12 in which each keyword is
// one that JSON Schema knows: a misspelt one would check nothing.
const strict = `{
	"$id": "urn:strict", "$schema": "https://json-schema.org/draft/2020-12/schema",
	"$ref": "https://spec.openapis.org/oas/3.1/schema/2022-10-07",
	"$defs": {"schema": {
		"$dynamicAnchor": "meta",
		"$ref": "https://json-schema.org/draft/2020-12/schema",
		"unevaluatedProperties": false
	}}
}`

// documentFault says where a text is no OpenAPI document.
func documentFault(text []byte) error {
	compiler := jsonschema.NewCompiler()
	for id, schema := range map[string]string{"urn:strict": strict, "https://spec.openapis.org/oas/3.1/schema/2022-10-07": datamodel.OpenAPI31SchemaData} {
		parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
		if err != nil {
			return err
		}
		if err := compiler.AddResource(id, parsed); err != nil {
			return err
		}
	}
	schema, err := compiler.Compile("urn:strict")
	if err != nil {
		return err
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	if err := schema.Validate(parsed); err != nil {
		return err
	}
	document, err := libopenapi.NewDocumentWithConfiguration(text, &datamodel.DocumentConfiguration{Logger: discard})
	if err != nil {
		return err
	}
	model, err := document.BuildV3Model()
	if err != nil {
		return err
	}
	// What no schema can say.
	named := map[string]bool{}
	for path, item := range model.Model.Paths.PathItems.FromOldest() {
		for _, operation := range item.GetOperations().FromOldest() {
			if named[operation.OperationId] {
				return fmt.Errorf("two operations are named %s", operation.OperationId)
			}
			named[operation.OperationId] = true
			in := 0
			for _, p := range operation.Parameters {
				if p.In != "path" {
					continue
				}
				if in++; !strings.Contains(path, "{"+p.Name+"}") {
					return fmt.Errorf("%s has no parameter %s", path, p.Name)
				}
			}
			if in != strings.Count(path, "{") {
				return fmt.Errorf("%s describes %d of its parameters", path, in)
			}
		}
	}
	return nil
}

func TestTheDocumentIsOpenAPI(t *testing.T) {
	require.NoError(t, documentFault(openAPI))
	for _, row := range []struct{ name, old, new, says string }{
		{"a version that is none", `"openapi": "3.1.0"`, `"openapi": "3"`, "/openapi"},
		{"a field of an operation that is none", `"operationId": "run"`, `"operationID": "run"`, "operationID"},
		{"a misspelt keyword", `"maxItems"`, `"maxItem"`, "maxItem"},
		{"a keyword of OpenAPI 3.0", `"type": ["integer", "null"]`, `"type": "integer", "nullable": true`, "nullable"},
		{"a minimum that is no number", `"minimum": 0`, `"minimum": "0"`, "minimum"},
		{"a type that is none", `"type": "integer"`, `"type": "int"`, "type"},
		{"a reference to nothing", `"#/components/schemas/Problem"`, `"#/components/schemas/Fault"`, "Fault"},
		{"a parameter that is nowhere", `{"name": "id", "in": "path"`, `{"name": "job", "in": "path"`, "has no parameter job"},
		{"two operations of one name", `"operationId": "submit"`, `"operationId": "run"`, "two operations are named run"},
		{"a header without a schema", `"Retry-After": {"required": true, "schema": {"type": "integer"}}`, `"Retry-After": {"required": true}`, "Retry-After"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := strings.Replace(string(openAPI), row.old, row.new, 1)
			require.NotEqual(t, string(openAPI), text)
			assert.ErrorContains(t, documentFault([]byte(text)), row.says)
		})
	}
}
