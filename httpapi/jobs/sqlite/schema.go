package sqlite

import (
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// schema lists the statements that made what is in the file, but for what SQLite
// makes for itself.
func (q *Queue) schema() (found []string, err error) {
	err = q.writer.query("SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid", func(s *sqlite3.Stmt) error {
		found = append(found, s.ColumnText(0))
		return nil
	})
	return found, err
}

// sameSchema wants word for word what this program makes: a trigger or a view of
// somebody else's would run here.
func sameSchema(found []string) error {
	got := strings.Join(found, ";\n\n") + ";\n"
	if got != schema {
		return fmt.Errorf("%w: its tables are not those of this program", errVersion)
	}
	return nil
}
