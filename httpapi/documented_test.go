package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

// queryParameters gives the schemas of an operation's, by name.
func queryParameters(doc object, path, method string) object {
	found := object{}
	for _, p := range dig(doc, "paths", path, method, "parameters").([]any) {
		if p := resolved(doc, p); p["in"] == "query" {
			found[p["name"].(string)] = p["schema"]
		}
	}
	return found
}

// What the document lists is taken, and nothing else: no flag is read as false that
// says something else, and no route lets a misspelt name pass.
func TestTheQueryIsWhatTheDocumentSays(t *testing.T) {
	doc := document(t)
	d := start(t, Config{Executor: executorFunc(echo), Metrics: http.NotFoundHandler(), Checker: checkerFunc(func(context.Context, policy.Request) (*policy.CheckResult, error) {
		return &policy.CheckResult{WouldRun: true, Termination: policy.Termination{Reason: policy.ReasonCompleted}}, nil
	})})
	for _, name := range []string{"stream", "dry_run"} {
		values := dig(queryParameters(doc, runPath, "post"), name, "enum").([]any)
		for _, value := range values {
			assert.Equal(t, 200, d.do("POST", runPath+"?"+name+"="+value.(string), hello).StatusCode, "%s=%s", name, value)
		}
		for _, value := range []string{"?" + name, "?" + name + "=", "?" + name + "=2", "?" + name + "=True"} {
			p := d.do("POST", runPath+value, hello).problem(t)
			assert.Equal(t, 400, p.Status, value)
			assert.Equal(t, name, p.Field)
			for _, known := range values {
				assert.Contains(t, p.Detail, known, "the refusal says what there is")
			}
		}
	}
	for route, item := range doc["paths"].(object) {
		for method := range item.(object) {
			path := strings.ReplaceAll(route, "{id}", "x")
			p := d.do(strings.ToUpper(method), path+"?foo=1", "").problem(t)
			assert.Equal(t, 400, p.Status, "%s %s", method, route)
			assert.Equal(t, "foo", p.Field)
		}
	}
}

// maxSchemaName is of names that are refused anyway if no profile or level has them.
const maxSchemaName = 64

// bounds are those of the document, and what the server holds callers to.
var bounds = map[string]float64{
	"paths./v1/jobs.get.limit.maximum":                               maxListed,
	"paths./v1/tools/safe-exec/async.post.Idempotency-Key.maxLength": maxKey,
	"Request.policy.maxLength":                                       maxSchemaName,
	"Request.policy.level.maxLength":                                 maxSchemaName,
	"Request.policy.deny.maxLength":                                  policy.MaxModuleBytes,
	"Request.profile.maxLength":                                      maxSchemaName,
	"Request.args.maxItems":                                          policy.MaxArgs,
	"Request.env.maxProperties":                                      policy.MaxEnv,
	"Request.files.maxItems":                                         policy.MaxInputFiles,
	"Request.collect.maxItems":                                       policy.MaxGlobs,
	"Request.collect.maxLength":                                      policy.MaxPathBytes,
	"InputFile.path.maxLength":                                       policy.MaxPathBytes,
}

func TestTheBoundsOfTheDocumentAreThoseOfTheServer(t *testing.T) {
	doc := document(t)
	found := map[string]float64{}
	for route, item := range doc["paths"].(object) {
		for method, operation := range item.(object) {
			for _, p := range operation.(object)["parameters"].([]any) {
				p := resolved(doc, p)
				boundsBelow(p["schema"], "paths."+route+"."+method+"."+p["name"].(string), found)
			}
		}
	}
	for _, name := range []string{"Request", "InputFile"} {
		boundsBelow(dig(doc, "components", "schemas", name), name, found)
	}
	maps.DeleteFunc(found, func(_ string, v float64) bool { return v == math.MaxInt64 }) // the profile decides
	assert.Equal(t, bounds, found)
}

// boundsBelow collects the upper bounds of a schema by the names of properties.
func boundsBelow(schema any, at string, found map[string]float64) {
	switch s := schema.(type) {
	case []any:
		for _, one := range s {
			boundsBelow(one, at, found)
		}
	case object:
		for _, bound := range []string{"maximum", "maxLength", "maxItems", "maxProperties"} {
			if v, ok := s[bound].(float64); ok {
				found[at+"."+bound] = v
			}
		}
		properties, _ := s["properties"].(object)
		for name, one := range properties {
			boundsBelow(one, at+"."+name, found)
		}
		for _, of := range []string{"items", "oneOf", "anyOf", "allOf", "additionalProperties"} {
			boundsBelow(s[of], at, found)
		}
	}
}

// api.md says which request has headers that are too large, and the bound holds to the byte.
func TestTheBoundOfHeadersIsWhatTheDocumentSays(t *testing.T) {
	api, err := os.ReadFile("../docs/api.md")
	require.NoError(t, err)
	assert.Contains(t, string(api), fmt.Sprintf("headers together over %d KiB", maxHeaderBytes>>10))
	d := start(t, Config{Executor: executorFunc(echo)})
	for _, row := range []struct {
		size, status int
	}{{maxHeaderBytes, 200}, {maxHeaderBytes + 1, 431}} {
		const head, end = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ", "\r\n\r\n"
		c, in := wire(t, d)
		require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
		_, err := io.WriteString(c, head+strings.Repeat("a", row.size-len(head)-len(end))+end)
		require.NoError(t, err)
		assert.Equal(t, row.status, hear(t, in).StatusCode, "%d bytes", row.size)
	}
}

// Who looks for the line that stands in an output that was cut finds it in each document.
func TestTheDocumentsShowTheLineOfACut(t *testing.T) {
	line := strings.Replace(policy.Omission(1), "1", "N", 1)
	for _, name := range []string{"../README.md", "../docs/api.md"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.True(t, bytes.Contains(text, []byte("`"+line+"`")), name)
	}
	assert.Contains(t, dig(document(t), "components", "schemas", "Result", "properties", "stdout", "description"), line)
}
