package httpapi

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whoever takes a bound from a refusal and puts the unit behind it is let through.
func TestTheBoundOfADurationIsOneThatWouldDo(t *testing.T) {
	d := start(t, Config{Executor: executorFunc(echo)})
	for _, path := range []string{asyncPath + "?ttl=48h", asyncPath + "?ttl=0s", jobsPath + "/job_1?wait=90s", jobsPath + "/job_1?wait=-1s"} {
		before, value, _ := strings.Cut(path, "=")
		method := map[bool]string{true: "POST", false: "GET"}[strings.HasPrefix(path, asyncPath)]
		body := map[string]string{"POST": hello}[method]
		r := d.do(method, path, body)
		require.Equal(t, 422, r.StatusCode, path)
		p := r.problem(t)
		assert.JSONEq(t, strconv.Quote(value), string(p.Value))
		bound := cmp.Or(p.Maximum, p.Minimum)
		require.NotNil(t, bound)
		r = d.do(method, fmt.Sprintf("%s=%d%s", before, *bound, p.Unit), body)
		assert.Contains(t, []int{202, 404}, r.StatusCode, "%s: %s", path, r.body)
	}
}
