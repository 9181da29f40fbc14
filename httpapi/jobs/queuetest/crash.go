package queuetest

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
)

// childEnv names the store's directory to a process that is there to be killed.
const childEnv = "SAFE_EXEC_QUEUETEST_DIR"

// rounds is how often a process is killed.
const rounds = 40

// Main is for a driver's TestMain: it runs the tests, or is the process that a
// test of it kills.
func Main(m *testing.M, d Driver) int {
	if dir := os.Getenv(childEnv); dir != "" {
		return child(dir, d)
	}
	return m.Run()
}

// child works on a store until it is killed, and writes a line for each thing that
// was acknowledged.
func child(dir string, d Driver) int {
	q, err := d(dir, jobs.SystemClock{})
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	var mu sync.Mutex
	say := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = os.Stdout.WriteString(line + "\n") // who reads it is about to kill us
	}
	ctx := context.Background()
	if _, err := q.Expire(ctx, wide); err != nil {
		say("error " + err.Error())
		return 1
	}
	say("ready")
	var wg sync.WaitGroup
	for i := range 4 {
		owner := fmt.Sprint("owner", i%2)
		wg.Go(func() {
			for {
				j := job(owner)
				j.Key, j.Digest = j.ID, [32]byte{1}
				_, _, err := q.Enqueue(ctx, j)
				if err != nil {
					say("error " + err.Error())
					return
				}
				say("job " + owner + " " + j.ID)
				if rand.IntN(10) == 0 {
					if r, err := q.Cancel(ctx, owner, j.ID); err == nil && jobs.Ended(r.Status) {
						say("end " + owner + " " + j.ID + " " + string(r.Verdict))
					}
				}
			}
		})
		wg.Go(func() {
			for {
				c, err := q.Claim(ctx, time.Minute)
				if err != nil {
					say("error " + err.Error())
					return
				}
				if c == nil {
					continue
				}
				say(fmt.Sprintf("start %s %s %d", c.Owner, c.ID, c.Attempt))
				body := fmt.Sprintf("%d/%d", c.Attempt, rand.Uint64())
				if err := q.Complete(ctx, c.Lease(), verdict(body)); err != nil {
					say("error " + err.Error())
					return
				}
				say("end " + c.Owner + " " + c.ID + " " + body)
			}
		})
	}
	wg.Wait()
	return 1
}

// seen is what was acknowledged of one job.
type seen struct {
	owner    string
	verdict  string // empty while there is none
	attempts int
}

func crashes(t *testing.T, d Driver) {
	dir := t.TempDir()
	known := map[string]*seen{}
	verdicts := 0
	for range rounds {
		killedChild(t, dir, known)
		verdicts += checkCrashed(t, dir, d, known)
	}
	require.Greater(t, len(known), rounds)
	require.Greater(t, verdicts, rounds)
	t.Logf("%d kills, %d jobs, %d verdicts acknowledged before a kill", rounds, len(known), verdicts)

	q, err := d(dir, jobs.SystemClock{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, q.Close()) }()
	_, err = q.Expire(t.Context(), wide)
	require.NoError(t, err)
	for {
		c, err := q.Claim(t.Context(), time.Minute)
		require.NoError(t, err)
		if c == nil {
			break
		}
		if k := known[c.ID]; k != nil {
			require.Empty(t, k.verdict, "a job with a verdict runs again")
			require.Greater(t, c.Attempt, k.attempts, "an attempt is counted before it begins")
		}
		require.NoError(t, q.Complete(t.Context(), c.Lease(), verdict("last")))
	}
	for id, k := range known {
		r, err := q.Get(t.Context(), k.owner, id)
		require.NoError(t, err)
		require.True(t, jobs.Ended(r.Status), "job %s is %s", id, r.Status)
	}
}

// killedChild has a process work on the store, kills it at some instant, and adds
// what it said to what is known.
func killedChild(t *testing.T, dir string, known map[string]*seen) {
	t.Helper()
	cmd := &exec.Cmd{Path: "/proc/self/exe", Env: []string{childEnv + "=" + dir}}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	require.True(t, lines.Scan())
	require.Equal(t, "ready", lines.Text())
	// Some instant, not a wait for something: any is good. But none before it has said so
	// much, or a slow disk would leave it nothing to lose.
	said, before := 0, rand.IntN(30)
	for lines.Scan() {
		if said++; said == before+1 {
			time.AfterFunc(time.Duration(rand.IntN(20_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		}
		word := strings.SplitN(lines.Text(), " ", 4)
		if len(word) < 3 {
			continue // cut off by the kill
		}
		switch k := known[word[2]]; word[0] {
		case "error":
			t.Error(lines.Text())
		case "job":
			if k == nil {
				k = &seen{}
				known[word[2]] = k
			}
			k.owner = word[1]
		case "start":
			if k == nil { // its line is behind this one, or was never written
				k = &seen{owner: word[1]}
				known[word[2]] = k
			}
			assert.Empty(t, k.verdict, "a job with a verdict runs again")
			k.attempts++
		case "end":
			if k.verdict != "" { // its owner and its worker both heard of it
				assert.Equal(t, k.verdict, word[3], "a second verdict")
			}
			k.verdict = word[3]
		}
	}
	assert.Error(t, cmd.Wait(), "it was killed")
}

// checkCrashed looks whether all that was acknowledged is there, and counts the
// verdicts among it.
func checkCrashed(t *testing.T, dir string, d Driver, known map[string]*seen) (verdicts int) {
	t.Helper()
	q, err := d(dir, jobs.SystemClock{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, q.Close()) }()
	for id, k := range known {
		r, err := q.Get(t.Context(), k.owner, id)
		require.NoError(t, err, "a job that was accepted")
		require.GreaterOrEqual(t, r.Attempt, k.attempts)
		switch {
		case k.verdict != "":
			require.Equal(t, k.verdict, string(r.Verdict))
		case jobs.Ended(r.Status):
			k.verdict = string(r.Verdict) // written, and killed before it could say so
		}
		if k.verdict != "" {
			verdicts++
		}
	}
	return verdicts
}
