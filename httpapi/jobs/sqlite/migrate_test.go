package sqlite

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/jobs"
	"safe-exec/httpapi/jobs/queuetest"
	"safe-exec/policy"
)

// Two versions that there might be after version 3: one with a table more, and one
// with a table that has a column more.
const (
	notes    = "CREATE TABLE notes (seq INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"
	oldClock = "CREATE TABLE clock (one INTEGER PRIMARY KEY CHECK (one = 1), virtual REAL NOT NULL CHECK (virtual BETWEEN 0 AND 1e15)) STRICT"
	newClock = "CREATE TABLE clock (one INTEGER PRIMARY KEY CHECK (one = 1), virtual REAL NOT NULL, note TEXT) STRICT"
)

var (
	withNotes = schema + "\n" + notes + ";\n"
	addNotes  = migration{schema, notes + "; INSERT INTO notes SELECT seq, id FROM jobs"}
	newClocks = strings.Replace(withNotes, oldClock, newClock, 1)
	makeClock = migration{withNotes, "ALTER TABLE clock RENAME TO old; " + newClock + "; INSERT INTO clock SELECT one, virtual, 'new' FROM old; DROP TABLE old"}
)

// versionOf is what the file says.
func versionOf(t *testing.T, dir string) (version int64) {
	t.Helper()
	c, err := sqlite3.Open(filepath.Join(dir, "jobs.db"))
	require.NoError(t, err)
	s, _, err := c.Prepare("PRAGMA user_version")
	require.NoError(t, err)
	require.True(t, s.Step())
	version = s.ColumnInt64(0)
	require.NoError(t, s.Close())
	require.NoError(t, c.Close())
	return version
}

func TestAStoreIsBroughtToTheNewestVersion(t *testing.T) {
	for _, row := range []struct {
		name string
		form form
	}{
		{"by a migration that adds a table", form{3, []migration{addNotes}, withNotes}},
		{"by two, of which one makes a table anew", form{3, []migration{addNotes, makeClock}, newClocks}},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := copyOf(t, 3)
			for range 2 { // the second time, nothing is left to do
				require.NoError(t, row.form.look(dir))
				q, err := openAs(row.form, dir, queuetest.NewClock())
				require.NoError(t, err)
				for _, status := range append([]policy.Status{policy.Queued, policy.Running, policy.Cancelled}, ended...) {
					assert.Equal(t, status, jobOf(t, q, status).Status)
				}
				require.NoError(t, q.Close())
				assert.Equal(t, row.form.newest(), versionOf(t, dir))
			}
			q, err := openAs(row.form, dir, queuetest.NewClock())
			require.NoError(t, err)
			_, err = q.Expire(t.Context(), jobs.Bounds{MaxAttempts: 3, MaxFinished: 100, MaxFinishedBytes: 1 << 20, MaxAge: time.Hour})
			require.NoError(t, err)
			c, err := q.Claim(t.Context(), time.Hour)
			require.NoError(t, err)
			require.NotNil(t, c)
			assert.NoError(t, q.Complete(t.Context(), c.Lease(), jobs.Verdict{Status: policy.Succeeded, Body: []byte("v")}))
			require.NoError(t, q.Close())
			_, err = Open(dir, queuetest.NewClock())
			assert.ErrorIs(t, err, errVersion, "the program before refuses it")
			assert.ErrorIs(t, Look(dir), errVersion)
		})
	}
	t.Run("and a new one is made in it", func(t *testing.T) {
		dir := t.TempDir()
		q, err := openAs(form{3, []migration{addNotes}, withNotes}, dir, queuetest.NewClock())
		require.NoError(t, err)
		require.NoError(t, q.Close())
		assert.EqualValues(t, 4, versionOf(t, dir))
	})
}

func TestAStoreThatCannotBeBroughtToTheNewestVersionStaysAsItIs(t *testing.T) {
	next := form{3, []migration{addNotes}, withNotes}
	for _, row := range []struct {
		name    string
		spoil   string
		form    form
		version int64
		want    string
	}{
		{"a migration that fails half-way", "", form{3, []migration{{schema, notes + "; INSERT INTO none VALUES (1)"}}, withNotes}, 3, "migrate from version 3: "},
		{"a migration that makes other tables than it should", "", form{3, []migration{{schema, "CREATE TABLE other (x)"}}, withNotes}, 3, "its tables are not those of this program"},
		{"a second migration that fails", "", form{3, []migration{addNotes, {withNotes, "nothing"}}, newClocks}, 4, "migrate from version 4: "},
		{"tables of another program", "CREATE TABLE more (x)", next, 3, "its tables are not those of this program"},
		{"a row that a constraint forbids", "PRAGMA ignore_check_constraints = on; UPDATE jobs SET attempt = -1", next, 3, "it is damaged"},
		{"a version before the first", "PRAGMA user_version = 2", next, 2, "it has application id 0x73657871, version 2, and this program's 0x73657871, version 4"},
		{"a version after the newest", "PRAGMA user_version = 5", next, 5, "it has application id 0x73657871, version 5, and this program's 0x73657871, version 4"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := copyOf(t, 3)
			c, err := sqlite3.Open(filepath.Join(dir, "jobs.db"))
			require.NoError(t, err)
			require.NoError(t, c.Exec(row.spoil))
			require.NoError(t, c.Close())
			_, err = openAs(row.form, dir, queuetest.NewClock())
			var start *StartError
			require.ErrorAs(t, err, &start)
			assert.ErrorContains(t, err, row.want)
			assert.Equal(t, row.version, versionOf(t, dir))
			if row.spoil == "" && row.version == 3 {
				q, err := Open(dir, queuetest.NewClock())
				require.NoError(t, err, "the program before goes on with it")
				assert.Equal(t, policy.Queued, jobOf(t, q, policy.Queued).Status)
				assert.NoError(t, q.Close())
			}
			if row.version < 3 || row.version > 4 {
				assert.ErrorIs(t, row.form.look(dir), errVersion)
			}
		})
	}
}
