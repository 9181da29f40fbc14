package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
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
