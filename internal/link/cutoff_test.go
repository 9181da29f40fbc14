package link

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestRunsThatALostLinkEndsAreLogged(t *testing.T) {
	for _, row := range []struct {
		name string
		end  func(*Client, *Server)
	}{
		{"the broker goes", func(c *Client, _ *Server) { _ = c.Close() }},
		{"the executor ends it", func(_ *Client, s *Server) { s.Close() }},
	} {
		t.Run(row.name, func(t *testing.T) {
			var log bytes.Buffer
			e := &engine{started: make(chan policy.Request, 2), hold: true}
			cfg := serverConfig(e)
			cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
			c, s, done := linked(t, cfg)
			for _, language := range []string{"py", "canary"} {
				go func() {
					_, _ = c.Execute(t.Context(), policy.Request{Language: language, Code: "print(1)", Caller: uid1000})
				}()
				<-e.started
			}
			row.end(c, s)
			_ = ends(t, done) // it is how the connection ended
			lines := strings.Split(strings.TrimSpace(log.String()), "\n")
			require.Len(t, lines, 2, log.String())
			assert.Contains(t, lines[0], `msg="killed with the link" kind=run caller="uid 1000" language=python code_sha256=`+
				"d287bb7f9d15abdc5b6e98536263815744b6ef21c8f3c839fc434ca70d8efe99")
			assert.NotContains(t, log.String(), "canary")
		})
	}
}
