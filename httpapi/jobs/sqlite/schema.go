package sqlite

import (
	_ "embed" // the schema
	"fmt"
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

//go:embed schema.sql
var schema string

// applicationID in the file's header says whose the file is: "sexq".
const applicationID = 0x73657871

// create makes the tables in an empty file.
func (q *Queue) create() error {
	return q.writer.db.Exec(fmt.Sprintf(
		"BEGIN IMMEDIATE; %s INSERT INTO clock (one, virtual) VALUES (1, 0); PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
		q.form.schema, applicationID, q.form.newest()))
}

// tables lists the statements that made what is in the file, but for what SQLite
// makes for itself.
func (q *Queue) tables() (found []string, err error) {
	err = q.writer.query("SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'", func(s *sqlite3.Stmt) error {
		found = append(found, s.ColumnText(0))
		return nil
	})
	return found, err
}

// hasTables wants word for word what this program makes: a trigger or a view of
// another program would run here. The order is free, since a migration that makes a
// table anew puts it last.
func (q *Queue) hasTables(want string) error {
	found, err := q.tables()
	if err != nil {
		return err
	}
	wanted := strings.Split(strings.TrimSuffix(want, ";\n"), ";\n\n")
	slices.Sort(found)
	slices.Sort(wanted)
	if !slices.Equal(found, wanted) {
		return fmt.Errorf("%w: its tables are not those of this program", errVersion)
	}
	return nil
}
