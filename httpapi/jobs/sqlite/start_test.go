package sqlite_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/jobs/queuetest"
	"safe-exec/httpapi/jobs/sqlite"
	"safe-exec/policy"
)

// filled makes a store with a finished, a running and a waiting job, and closes it.
func filled(t testing.TB, dir string) {
	t.Helper()
	q, err := sqlite.Open(dir, queuetest.NewClock())
	require.NoError(t, err)
	for _, id := range []string{"job_done", "job_running", "job_waiting"} {
		j := jobs.Entry{ID: id, Owner: "a", Weight: 1, AtOnce: 8, Key: id, TTL: time.Hour, Request: []byte(`{"Code":"` + strings.Repeat("x", 5000) + `"}`)}
		_, _, err := q.Enqueue(t.Context(), j)
		require.NoError(t, err)
	}
	done, err := q.Claim(t.Context(), time.Hour)
	require.NoError(t, err)
	require.NoError(t, q.Complete(t.Context(), done.Lease(), jobs.WithoutRun("job_done", policy.ReasonCancelled, 1)))
	_, err = q.Claim(t.Context(), time.Hour)
	require.NoError(t, err)
	require.NoError(t, q.Close())
}

// stranger changes a store by other means than this program's.
func stranger(t testing.TB, dir, sql string) {
	t.Helper()
	c, err := sqlite3.Open(filepath.Join(dir, "jobs.db"))
	require.NoError(t, err)
	require.NoError(t, c.Exec(sql))
	require.NoError(t, c.Close())
}

func TestAStoreThatCannotBeUsedIsRefusedWithTheRemedy(t *testing.T) {
	for _, row := range []struct {
		name   string
		spoil  func(t *testing.T, dir string)
		remedy string
	}{
		{"no directory", func(t *testing.T, dir string) { require.NoError(t, os.RemoveAll(dir)) }, "must exist"},
		{"another daemon has it", func(t *testing.T, dir string) {
			q, err := sqlite.Open(dir, jobs.SystemClock{})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, q.Close()) })
		}, "another state_dir"},
		{"another program has it locked", func(t *testing.T, dir string) {
			c, err := sqlite3.Open(filepath.Join(dir, "jobs.db"))
			require.NoError(t, err)
			require.NoError(t, c.Exec("PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE"))
			t.Cleanup(func() { assert.NoError(t, c.Close()) })
		}, "another program has it locked"},
		{"no database", func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "jobs.db"), []byte(strings.Repeat("no database ", 1000)), 0o600))
		}, "it is damaged"},
		{"half of it is gone", func(t *testing.T, dir string) {
			require.NoError(t, os.Truncate(filepath.Join(dir, "jobs.db"), 8192))
		}, "it is damaged"},
		{"a page is overwritten", func(t *testing.T, dir string) {
			f, err := os.OpenFile(filepath.Join(dir, "jobs.db"), os.O_RDWR, 0)
			require.NoError(t, err)
			defer f.Close()
			_, err = f.WriteAt([]byte(strings.Repeat("\xff", 200)), 2*4096)
			require.NoError(t, err)
		}, "it is damaged"},
		{"a later version", func(t *testing.T, dir string) { stranger(t, dir, "PRAGMA user_version = 4") }, "move jobs.db, jobs.db-wal and jobs.db-shm away together"},
		{"another program's", func(t *testing.T, dir string) { stranger(t, dir, "PRAGMA application_id = 7") }, "move jobs.db, jobs.db-wal and jobs.db-shm away together"},
		{"a trigger of somebody else's", func(t *testing.T, dir string) {
			stranger(t, dir, "CREATE TRIGGER evil AFTER INSERT ON jobs BEGIN DELETE FROM jobs; END")
		}, "move jobs.db, jobs.db-wal and jobs.db-shm away together"},
		{"a table of somebody else's", func(t *testing.T, dir string) { stranger(t, dir, "CREATE TABLE more (x)") }, "move jobs.db, jobs.db-wal and jobs.db-shm away together"},
		{"a row that a constraint forbids", func(t *testing.T, dir string) {
			stranger(t, dir, "PRAGMA ignore_check_constraints = on; UPDATE jobs SET attempt = -1 WHERE id = 'job_waiting'")
		}, "it is damaged"},
		{"a link in its place", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "jobs.db")
			require.NoError(t, os.Rename(path, path+".moved"))
			require.NoError(t, os.Symlink(path+".moved", path))
		}, "must be readable"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "broker")
			require.NoError(t, os.Mkdir(dir, 0o700))
			filled(t, dir)
			row.spoil(t, dir)
			before := names(dir)
			_, err := sqlite.Open(dir, jobs.SystemClock{})
			var start *sqlite.StartError
			require.ErrorAs(t, err, &start)
			assert.Equal(t, filepath.Join(dir, "jobs.db"), start.Path)
			assert.Contains(t, err.Error(), row.remedy)
			assert.Subset(t, names(dir), before, "nothing is deleted")
		})
	}
}

// Whoever starts the wrong version has changed nothing by it.
func TestALookSaysWhoseTheStoreIsAndChangesNothing(t *testing.T) {
	for _, row := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
		want  string
	}{
		{"ours", func(*testing.T, string) {}, ""},
		{"none", func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "jobs.db"))) }, ""},
		{"an empty one", func(t *testing.T, dir string) { require.NoError(t, os.Truncate(filepath.Join(dir, "jobs.db"), 0)) }, ""},
		{"one that is damaged, which is Open's to say", func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "jobs.db"), []byte(strings.Repeat("no database ", 1000)), 0o600))
		}, ""},
		{"an earlier version", func(t *testing.T, dir string) { stranger(t, dir, "PRAGMA user_version = 1") },
			"not a store of jobs of this version: it has application id 0x73657871, version 1, and this program's 0x73657871, version 3; use the version that made it, or move jobs.db, jobs.db-wal and jobs.db-shm away together"},
		{"another program's", func(t *testing.T, dir string) { stranger(t, dir, "PRAGMA application_id = 7") }, "it has application id 0x7, version 3"},
		{"no file", func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "jobs.db")))
			require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "jobs.db"), 0o600))
		}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			filled(t, dir)
			row.spoil(t, dir)
			before := contents(t, dir)
			err := sqlite.Look(dir)
			if row.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, row.want)
			}
			assert.Equal(t, before, contents(t, dir))
		})
	}
}

// contents are those of the regular files, as SHA-256.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Type().IsRegular() {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			require.NoError(t, err)
			all[e.Name()] = fmt.Sprintf("%x", sha256.Sum256(text))
		}
	}
	return all
}

func names(dir string) (list []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "-shm") && !strings.HasSuffix(e.Name(), "-wal") {
			list = append(list, e.Name())
		}
	}
	return list
}

func TestAReadOnlyDirectoryIsRefusedWithTheRemedy(t *testing.T) {
	dir := queuetest.SmallDisk(t, "4m")
	filled(t, dir)
	require.NoError(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	_, err := sqlite.Open(dir, jobs.SystemClock{})
	assert.ErrorContains(t, err, "must exist and be writable")
	assert.ErrorIs(t, err, syscall.EROFS)
}

func TestAFullDiskAtTheStartIsNamed(t *testing.T) {
	dir := queuetest.SmallDisk(t, "1m")
	fill(t, dir)
	_, err := sqlite.Open(dir, jobs.SystemClock{})
	var start *sqlite.StartError
	require.ErrorAs(t, err, &start)
	assert.Contains(t, err.Error(), "room on its disk")
	require.NoError(t, os.Remove(filepath.Join(dir, "ballast")))
	q, err := sqlite.Open(dir, jobs.SystemClock{})
	require.NoError(t, err, "what the first try left is no hindrance")
	assert.NoError(t, q.Close())
}

func fill(t *testing.T, dir string) {
	t.Helper()
	err := os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 8<<20), 0o600)
	require.ErrorIs(t, err, syscall.ENOSPC)
}

func TestAStoreThatAnotherProgramLocksIsUnavailableMeanwhile(t *testing.T) {
	dir := t.TempDir()
	filled(t, dir)
	q, err := sqlite.Open(dir, queuetest.NewClock())
	require.NoError(t, err)
	defer func() { assert.NoError(t, q.Close()) }()
	c, err := sqlite3.Open(filepath.Join(dir, "jobs.db"))
	require.NoError(t, err)
	require.NoError(t, c.Exec("BEGIN IMMEDIATE"))
	j := jobs.Entry{ID: "job_new", Owner: "a", Weight: 1, AtOnce: 8, TTL: time.Hour, Request: []byte("{}")}
	_, _, err = q.Enqueue(t.Context(), j)
	var e *policy.Error
	require.True(t, errors.As(err, &e))
	assert.Equal(t, policy.CodeUnavailable, e.Code)
	assert.Contains(t, e.Message, "locked")
	_, err = q.Get(t.Context(), "a", "job_done")
	assert.NoError(t, err, "reading goes on")
	require.NoError(t, c.Exec("ROLLBACK"))
	require.NoError(t, c.Close())
	_, _, err = q.Enqueue(t.Context(), j)
	assert.NoError(t, err)
}

func TestAStoreThatIsDamagedWhileItIsOpenSaysSoFromThenOn(t *testing.T) {
	dir := t.TempDir()
	filled(t, dir)
	clock := queuetest.NewClock()
	q, err := sqlite.Open(dir, clock)
	require.NoError(t, err)
	defer func() { _ = q.Close() }() // a damaged file may not close well
	require.NoError(t, q.Check(t.Context()))
	f, err := os.OpenFile(filepath.Join(dir, "jobs.db"), os.O_RDWR, 0)
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	_, err = f.WriteAt(make([]byte, info.Size()-4096), 4096)
	require.NoError(t, err)
	_, err = q.Get(t.Context(), "a", "job_done")
	require.ErrorContains(t, err, "is damaged")
	clock.Pass(time.Hour)
	var e *policy.Error
	require.ErrorAs(t, q.Check(t.Context()), &e)
	assert.Equal(t, []any{policy.CodeUnavailable, "the store of jobs is damaged"}, []any{e.Code, e.Message})
}
