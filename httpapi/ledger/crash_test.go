package ledger

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// actorEnv makes the test binary a process that the tests may kill, or that mounts
// what it likes.
const actorEnv = "LEDGER_TEST_ACTOR"

func TestMain(m *testing.M) {
	switch what, dir, _ := strings.Cut(os.Getenv(actorEnv), ":"); what {
	case "":
		os.Exit(m.Run())
	case "append":
		appendForever(dir)
	case "full":
		os.Exit(fillDisk(dir))
	}
}

func actor(t *testing.T, what, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), actorEnv+"="+what+":"+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

// appendForever says each run that has been recorded.
func appendForever(dir string) {
	l, err := Open(Config{Dir: dir, MaxBytes: 32 << 10, Keep: 1000, SyncEvery: time.Millisecond})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				r := aRun(i)
				r.RequestID = fmt.Sprintf("%d-%d-%d", os.Getpid(), worker, i)
				if err := errors.Join(l.Began(&r), l.Append(r)); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				os.Stdout.WriteString(r.RequestID + "\n")
			}
		})
	}
	wg.Wait()
}

func TestAKilledWriterLosesNothingThatItSaid(t *testing.T) {
	dir := t.TempDir()
	said := map[string]bool{}
	for range 15 {
		cmd := actor(t, "append", dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		// The moment of the kill is a number of records, and some part of one more.
		lines := bufio.NewScanner(out)
		for n := rand.IntN(300); n >= 0 && lines.Scan(); n-- {
			said[lines.Text()] = true
		}
		require.NoError(t, cmd.Process.Kill())
		for lines.Scan() {
			said[lines.Text()] = true
		}
		_ = cmd.Wait() // it was killed
		found, begun := map[string]int{}, map[string]int{}
		_, err = Verify(dir, nil, func(r Record) {
			if r.Run != nil {
				found[r.Run.RequestID]++
			} else if r.Kind == kindBegin {
				begun[r.Begun.RequestID]++
			}
		})
		require.NoError(t, err)
		for id := range said {
			require.Equal(t, 1, found[id], "records of run %s", id)
			require.Equal(t, 1, begun[id], "begins of run %s", id)
		}
	}
	s, err := Verify(dir, nil, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 15, s.Starts)
	assert.LessOrEqual(t, s.Open, uint64(4), "those that the last kill cut off")
	require.NoError(t, open(t, dir, nil).Close())
	s, err = Verify(dir, nil, nil)
	require.NoError(t, err)
	assert.Zero(t, s.Open)
}

// What a kill, or a power cut before the head, can leave of the last write.
func TestAnUnfinishedEndIsGoneOnFrom(t *testing.T) {
	whole := load(t, written(t, 3, nil))
	name := whole.files()[0]
	text := whole[name]
	begins := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	before := Record{}
	for _, line := range whole.lines(0)[:3] {
		r, err := unseal(bytes.TrimSuffix(line, []byte("\n")))
		require.NoError(t, err)
		before = r
	}
	for size := begins; size <= len(text); size += 1 + size%83 {
		t.Run(fmt.Sprintf("%d bytes of it", size-begins), func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, head{Point: Point{before.Seq, before.Hash}}.write(dir))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), text[:size], 0o600))
			_, err := Verify(dir, nil, nil)
			require.NoError(t, err, "before anyone goes on")

			// A second kill, in the midst of going on: its first bytes are there.
			l := open(t, dir, nil)
			require.NoError(t, l.Append(aRun(9)))
			require.NoError(t, l.Close())
			all, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			assert.Equal(t, string(text[:size]), string(all[:size]), "nothing is taken away")
			_, err = Verify(dir, nil, nil)
			require.NoError(t, err)
			for extra := 1; extra < 200; extra += 74 {
				require.NoError(t, head{Point: Point{before.Seq, before.Hash}}.write(dir))
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), all[:size+extra], 0o600))
				_, err = Verify(dir, nil, nil)
				require.NoError(t, err, "killed again after %d bytes", extra)
				l := open(t, dir, nil)
				require.NoError(t, l.Append(aRun(10)))
				require.NoError(t, l.Close())
				_, err = Verify(dir, nil, nil)
				require.NoError(t, err, "gone on after that")
			}
		})
	}
}

// Whoever changes what an unfinished line left is found, too.
func TestWhatIsToldOfAnUnfinishedEndIsChecked(t *testing.T) {
	whole := load(t, written(t, 3, nil))
	name := whole.files()[0]
	cut := len(whole[name]) - 100
	h, err := unseal(bytes.TrimSuffix(whole.lines(0)[2], []byte("\n")))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, head{Point: Point{h.Seq, h.Hash}}.write(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), whole[name][:cut], 0o600))
	require.NoError(t, open(t, dir, nil).Close())
	after := load(t, dir)
	require.NoError(t, after.verify(t, nil))
	assert.Contains(t, string(after[name]), `"torn":{"bytes":`)
	for what, edit := range map[string]func([]byte) []byte{
		"changed": func(text []byte) []byte { text[cut-1]++; return text },
		"removed": func(text []byte) []byte {
			lines := bytes.SplitAfter(text, []byte("\n"))
			return bytes.Join(append(lines[:3:3], lines[4:]...), nil)
		},
	} {
		tr := after.clone()
		tr[name] = edit(tr[name])
		var broken *Broken
		require.ErrorAs(t, tr.verify(t, nil), &broken, what)
		assert.Equal(t, Edited, broken.How, what)
	}
}

func TestALedgerWithoutItsEndIsNotGoneOnWith(t *testing.T) {
	for name, edit := range map[string]func(trail){
		"the last line is missing": func(tr trail) { l := tr.lines(0); tr.setLines(0, l[:len(l)-1]...) },
		"the head is missing":      func(tr trail) { delete(tr, headName) },
		"the files are missing":    func(tr trail) { delete(tr, tr.files()[0]) },
	} {
		tr := load(t, written(t, 3, nil))
		edit(tr)
		dir := t.TempDir()
		for name, text := range tr {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		}
		_, err := Open(Config{Dir: dir})
		var broken *Broken
		require.ErrorAs(t, err, &broken, name)
		assert.Equal(t, Truncated, broken.How, name)
	}
}

func TestAFullDiskIsSaidAndNothingIsLost(t *testing.T) {
	cmd := actor(t, "full", t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	out, err := cmd.Output()
	require.NoError(t, err, string(out))
	assert.Equal(t, "ok", string(out))
}

// fillDisk is in a mount namespace of its own. It says ok on stdout, or what went
// wrong.
func fillDisk(dir string) int {
	if err := errorOf(
		syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""),
		syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+strconv.Itoa(4<<20)),
	); err != nil {
		fmt.Print(err)
		return 1
	}
	if err := fullDisk(filepath.Join(dir, "audit"), filepath.Join(dir, "ballast")); err != nil {
		fmt.Print(err)
		return 1
	}
	fmt.Print("ok")
	return 0
}

func errorOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
