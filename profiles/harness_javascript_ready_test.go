package profiles_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
	"safe-exec/profiles"
)

// That programs see no difference is shown by the tests of programs, which run both
// ways; here is what only a harness made ready ahead can do wrong.

func TestJavaScriptHarnessMadeReadyTakesOnlyThePromisedLevel(t *testing.T) {
	dir, err := image()
	require.NoError(t, err)
	all, err := profiles.Default()
	require.NoError(t, err)
	levels := all[string(policy.JavaScript)].Levels
	const code = "console.log('ran')"
	narrowed := jobOf(levels["strict"], code)
	narrowed.BlockedNames = append([]string{"console"}, narrowed.BlockedNames...)
	for _, row := range []struct {
		name     string
		promised wire.Job
		job      wire.Job
	}{
		{"a wider level than promised", jobOf(levels["strict"], ""), jobOf(levels["standard"], code)},
		{"a narrower level than promised", jobOf(levels["standard"], ""), jobOf(levels["strict"], code)},
		{"one more blocked name", jobOf(levels["strict"], ""), narrowed},
		{"no policy where one was promised", jobOf(levels["strict"], ""), openJavaScript(code)},
		{"a policy where none was promised", openJavaScript(""), jobOf(levels["strict"], code)},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := launch(t, javascript, dir, true)
			p.promise(t, levelOnly(row.promised))
			require.NoError(t, wire.WriteFrame(p.conn, wire.JobFrame, row.job.Encode()))
			words := wire.NewDecoder(p.expect(t, wire.Failed))
			assert.Contains(t, words.String(), "not of the level that was promised")
			assert.Error(t, p.cmd.Wait(), "a harness that failed must not exit with 0")
			assert.Empty(t, p.stdout.String(), "the program ran")
		})
	}
	t.Run("a check where a run was promised is one", func(t *testing.T) {
		job := jobOf(levels["strict"], code)
		p := launch(t, javascript, dir, true)
		p.promise(t, levelOnly(job))
		job.CheckOnly = true
		out := p.finish(t, job)
		assert.Equal(t, "C", string(rune(out.kind)))
		assert.Empty(t, out.stdout, "the program ran")
	})
}

func TestJavaScriptHarnessFailsOnAPromiseThatIsNone(t *testing.T) {
	dir, err := image()
	require.NoError(t, err)
	whole := strictJavaScript("").Encode()
	for name, promise := range map[string][]byte{
		"a byte":                   {0},
		"a promise cut short":      whole[:len(whole)-1],
		"one of another version":   append([]byte{1, 0, 0, 0, '1'}, whole[5:]...),
		"one with bytes left over": append(append([]byte{}, whole...), 0),
	} {
		t.Run(name, func(t *testing.T) {
			p := launch(t, javascript, dir, true)
			p.expect(t, wire.Ready)
			require.NoError(t, wire.WriteFrame(p.conn, wire.Kept, promise))
			p.expect(t, wire.Failed)
			assert.Error(t, p.cmd.Wait())
		})
	}
}

// The engine's clocks count from its start, which for a spare can be long ago.
func TestJavaScriptClocksBeginWithTheJob(t *testing.T) {
	dir, err := image()
	require.NoError(t, err)
	const code = "console.log(performance.timeOrigin, -performance.now() + Date.now(), -process.uptime() * 1000 + Date.now())" // what comes between two clocks makes it later
	for name, job := range map[string]wire.Job{"restricted": strictJavaScript(code), "unrestricted": openJavaScript(code)} {
		t.Run(name, func(t *testing.T) {
			p := launch(t, javascript, dir, true)
			p.promise(t, levelOnly(job))
			waiting := float64(time.Now().UnixMilli())
			out := p.finish(t, job)
			var origin, now, uptime float64
			_, err := fmt.Sscan(out.stdout, &origin, &now, &uptime)
			require.NoError(t, err, out.stderr)
			const rounding = 2 // milliseconds
			for what, begun := range map[string]float64{"performance.timeOrigin": origin, "performance.now": now, "process.uptime": uptime} {
				assert.GreaterOrEqual(t, begun, waiting-rounding, "%s counts from before the job", what)
			}
		})
	}
}
