package ledger

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// crash ends a ledger as a kill does: nothing more is written.
func crash(t testing.TB, l *Ledger, dir string) {
	t.Helper()
	h, err := readHead(dir)
	require.NoError(t, err)
	files := map[string][]byte{}
	list, err := segments(dir)
	require.NoError(t, err)
	for _, s := range list {
		files[s.name], err = os.ReadFile(filepath.Join(dir, s.name))
		require.NoError(t, err)
	}
	require.NoError(t, l.Close())
	list, err = segments(dir)
	require.NoError(t, err)
	for _, s := range list {
		require.NoError(t, os.Remove(filepath.Join(dir, s.name)))
	}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	require.NoError(t, h.write(dir))
}

// story is what a ledger tells of one run.
type story struct {
	begins, ends int
	last         *Run
}

func stories(t testing.TB, dir string) (map[string]story, Summary) {
	t.Helper()
	told := map[string]story{}
	s, err := Verify(dir, nil, func(r Record) {
		switch {
		case r.Kind == kindBegin:
			one := told[r.Begun.RequestID]
			one.begins++
			told[r.Begun.RequestID] = one
		case r.Run != nil:
			one := told[r.Run.RequestID]
			one.ends, one.last = one.ends+1, r.Run
			told[r.Run.RequestID] = one
		}
	})
	require.NoError(t, err)
	return told, s
}

// Whatever order runs begin and end in, and wherever files and daemons end in between,
// the ledger verifies, and each run has one begin and one end, whose own tells what
// became of it.
func TestRunsAreTheirBeginAndOneEnd(t *testing.T) {
	for trial := range 20 {
		t.Run(fmt.Sprint(trial), func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			dice := rand.New(rand.NewPCG(seed, 0))
			dir := t.TempDir()
			smallest := func(c *Config) { c.MaxBytes, c.Keep, c.Required = int64(1+dice.IntN(6000)), 100_000, true }
			l := open(t, dir, smallest)
			var live []observe.Run
			ended, cut, n := 0, 0, 0
			for range 150 {
				switch what := dice.IntN(20); {
				case what < 9:
					r := aRun(n)
					n++
					require.NoError(t, l.Began(&r))
					live = append(live, r)
				case what < 17 && len(live) > 0:
					i := dice.IntN(len(live))
					require.NoError(t, l.Append(live[i]))
					live = append(live[:i], live[i+1:]...)
					ended++
				case what == 17:
					_, s := stories(t, dir)
					require.EqualValues(t, len(live), s.Open)
				case what > 17:
					if what == 18 {
						crash(t, l, dir)
					} else {
						require.NoError(t, l.Close())
					}
					l = open(t, dir, smallest)
					cut += len(live)
					live = nil
				}
			}
			require.NoError(t, l.Close())
			open(t, dir, nil)
			told, s := stories(t, dir)
			assert.Len(t, told, n)
			assert.EqualValues(t, n, s.Runs)
			assert.EqualValues(t, cut+len(live), s.CutOff)
			assert.Zero(t, s.Open)
			for id, one := range told {
				assert.Equal(t, 1, one.begins, id)
				assert.Equal(t, 1, one.ends, id)
				assert.Equal(t, one.last.Detail != "", one.last.Status == policy.Errored, id)
			}
		})
	}
}

func TestARunOutlivesTheFileItBeganIn(t *testing.T) {
	dir := t.TempDir()
	few := func(c *Config) { c.MaxBytes, c.Keep = 4<<10, 2 }
	l := open(t, dir, few)
	long, longer := aRun(1000), aRun(2000)
	require.NoError(t, l.Began(&long))
	require.NoError(t, l.Began(&longer))
	for i := range 50 {
		r := aRun(i)
		require.NoError(t, l.Began(&r))
		require.NoError(t, l.Append(r))
	}
	_, s := stories(t, dir)
	require.Greater(t, s.First, longer.Begin.Seq, "their begins have been dropped")
	require.EqualValues(t, 2, s.Open)
	require.NoError(t, l.Append(long))
	crash(t, l, dir)
	l = open(t, dir, few)
	told, s := stories(t, dir)
	assert.Zero(t, s.Open)
	assert.EqualValues(t, 1, s.CutOff)
	assert.Equal(t, policy.Succeeded, told["req_1000"].last.Status)
	cut := told["req_2000"].last
	assert.Equal(t, policy.ReasonRestarted, cut.Reason)
	assert.Equal(t, cutOff, cut.Detail)
	assert.Equal(t, longer.Begin.Seq, cut.Begin)
	assert.Equal(t, longer.Program.CodeSHA256, cut.CodeSHA256)
	require.NoError(t, l.Close())
}

// A daemon that dies while it starts leaves a part of what it puts behind the end.
func TestRunsThatWereCutOffAreEndedThoughTheNextStartIsCutOffToo(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, small)
	for i := range 12 {
		r := aRun(i)
		require.NoError(t, l.Began(&r))
	}
	crash(t, l, dir)
	before := load(t, dir)
	require.NoError(t, open(t, dir, small).Close())
	after := load(t, dir)
	last := after.files()[len(after.files())-1]
	for size := len(before[last]); size < len(after[last]); size += 300 {
		again := t.TempDir()
		for name, text := range before {
			require.NoError(t, os.WriteFile(filepath.Join(again, name), text, 0o600))
		}
		require.NoError(t, os.WriteFile(filepath.Join(again, last), after[last][:size], 0o600))
		require.NoError(t, open(t, again, small).Close())
		told, s := stories(t, again)
		assert.Zero(t, s.Open)
		for id, one := range told {
			assert.Equal(t, 1, one.ends, id)
		}
	}
}

func TestEndsThatDoNotFitAreFound(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, nil)
	r := aRun(1)
	require.NoError(t, l.Began(&r))
	require.NoError(t, l.Append(r))
	require.NoError(t, l.Append(r)) // told twice
	require.NoError(t, l.Close())
	_, err := Verify(dir, nil, nil)
	assert.ErrorContains(t, err, "it ends a run of seq 2, and none that runs began there")
}

// What cannot be written refuses a run by its begin, and nothing stays open.
func TestARunWhoseBeginCannotBeWritten(t *testing.T) {
	for _, row := range []struct {
		name     string
		required bool
		runs     uint64 // of the two that were asked for meanwhile
	}{
		{"is refused where that is required", true, 0},
		{"runs without it where it is not", false, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			l := open(t, dir, func(c *Config) { c.Required = row.required })
			before := aRun(0)
			require.NoError(t, l.Began(&before))
			// The head cannot be replaced while a directory has its new one's name.
			blocker := filepath.Join(dir, headName+".new")
			require.NoError(t, os.Mkdir(blocker, 0o700))
			require.Eventually(t, func() bool { return l.Ready() != nil }, patience, tick)
			r := aRun(1)
			err := l.Began(&r)
			if !row.required {
				require.NoError(t, err)
				assert.Error(t, l.Append(r), "it waits in memory")
			} else {
				var e *policy.Error
				require.True(t, errors.As(err, &e))
				assert.Equal(t, policy.CodeUnavailable, e.Code)
			}
			assert.Error(t, l.Append(before), "it waits in memory")
			require.NoError(t, os.Remove(blocker))
			require.Eventually(t, func() bool { return l.Ready() == nil }, patience, tick)
			require.NoError(t, l.Close())
			told, s := stories(t, dir)
			assert.Zero(t, s.Open)
			assert.Equal(t, 1+row.runs, s.Runs)
			assert.Equal(t, story{1, 1, told["req_0"].last}, told["req_0"])
			assert.Equal(t, policy.Succeeded, told["req_0"].last.Status)
		})
	}
}

// BenchmarkAppend is what a run costs: its end alone, and with its begin.
func BenchmarkAppend(b *testing.B) {
	for name, begins := range map[string]bool{"end": false, "begin and end": true} {
		b.Run(name, func(b *testing.B) {
			l := open(b, b.TempDir(), nil)
			r := aRun(1)
			for b.Loop() {
				r.Begin = nil
				if begins {
					require.NoError(b, l.Began(&r))
				}
				require.NoError(b, l.Append(r))
			}
		})
	}
}

const (
	patience = 10 * time.Second
	tick     = 5 * time.Millisecond
)
