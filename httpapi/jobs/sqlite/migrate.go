package sqlite

import "fmt"

// released is the form of the stores of this program. Version 3 was the first to be
// released. A change of schema.sql needs a migration that keeps the old text, and a
// store of the new version in testdata.
var released = form{first: 3, schema: schema}

// form is what stores look like: the tables of the newest version, and how a store
// of an earlier version becomes one of the next.
type form struct {
	first      int64       // the earliest version that can be opened
	migrations []migration // from the first version to the second, and so on
	schema     string      // the tables of the newest version
}

// migration makes a store of one version a store of the next.
type migration struct {
	from string // the tables of the old version
	sql  string // what makes of them the tables of the new version
}

// newest is the version that every store has once it is open. The file keeps it in
// its header.
func (f form) newest() int64 { return f.first + int64(len(f.migrations)) }

func (f form) opens(version int64) bool { return f.first <= version && version <= f.newest() }

// tables are those of a version that can be opened.
func (f form) tables(version int64) string {
	if i := version - f.first; i < int64(len(f.migrations)) {
		return f.migrations[i].from
	}
	return f.schema
}

// migrate brings the store to the newest version. Each migration is a transaction:
// one that fails leaves the store as it found it.
func (q *Queue) migrate(version int64) error {
	for ; version < q.form.newest(); version++ {
		if err := q.migrateOnce(version); err != nil {
			return fmt.Errorf("migrate from version %d: %w", version, err)
		}
	}
	return nil
}

func (q *Queue) migrateOnce(version int64) error {
	err := q.writer.db.Exec(fmt.Sprintf("BEGIN IMMEDIATE; %s; PRAGMA user_version = %d",
		q.form.migrations[version-q.form.first].sql, version+1))
	if err != nil {
		return err
	}
	if err := q.hasTables(q.form.tables(version + 1)); err != nil {
		return err
	}
	return q.writer.db.Exec("COMMIT")
}
