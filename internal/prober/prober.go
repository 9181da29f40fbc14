// Package prober holds a program that calls every system call number of x86-64
// with harmless arguments (src/prober.c), and the table of what came of each
// (testdata/syscalls.golden) under the lock-down of each profile. The table is
// the record of what a program can reach of the kernel, taken from the kernel
// and not from the lists: it may shrink, never grow.
//
// The program runs by way of nsjail.ExecuteNative, as safe-exec jail does, in a
// real jail. What it leaves out: arguments. A call that is allowed for some
// arguments only shows as refused here if neither 0 nor -1 is among them; that
// the filters compare arguments rightly is tested in seccomp/compile.
package prober

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Last is the highest number that is asked for.
const Last = 600

// Answers to a call, beside the name of an errno.
const (
	Refused = "refused" // by the filter, and reported
	Content = "ok"      // the kernel did not object
	Skipped = "-"       // not asked: it would end or stop the prober
)

// Marks on an answer.
const (
	filterMark = "=" // before: the filter's own answer, the call was not made
	nativeMark = "*" // behind: reached in a native program only, an interpreter is refused
)

// Row is one system call.
type Row struct {
	Number  int
	Name    string
	Answers []string // one a column
}

// Grown says in words where a row lets more through than the recorded one, ""
// if nowhere.
func Grown(recorded, now Row, columns []string) string {
	var faults []string
	for i, column := range columns {
		was, is := Refused, now.Answers[i]
		if i < len(recorded.Answers) {
			was = recorded.Answers[i]
		}
		if grown(was, is) {
			faults = append(faults, fmt.Sprintf("%s: %s was %s, is %s", column, now.Name, was, is))
		}
	}
	return strings.Join(faults, "; ")
}

func grown(was, is string) bool {
	switch {
	case was == is, is == Refused:
		return false
	case was == Refused, was == Skipped, is == Skipped:
		return true
	case strings.HasPrefix(was, filterMark):
		return true // another answer than the filter's is the kernel's
	case strings.HasPrefix(is, filterMark):
		return false
	}
	// Reached then and now: which error it gets depends on the kernel. But what
	// only a native program reached must not have become an interpreter's.
	return strings.HasSuffix(was, nativeMark) && !strings.HasSuffix(is, nativeMark)
}

// Read reads a table.
func Read(r io.Reader) (map[int]Row, error) {
	rows := make(map[int]Row)
	scan := bufio.NewScanner(r)
	for n := 1; scan.Scan(); n++ {
		f := strings.Fields(scan.Text())
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		number, err := strconv.Atoi(f[0])
		if err != nil || len(f) < 3 {
			return nil, fmt.Errorf("line %d: want a number, a name and answers", n)
		}
		rows[number] = Row{Number: number, Name: f[1], Answers: f[2:]}
	}
	return rows, scan.Err()
}

// Write writes a table.
func Write(w io.Writer, columns []string, rows []Row) error {
	if _, err := fmt.Fprintf(w, "# nr  %-24s  %s\n", "name", strings.Join(columns, "  ")); err != nil {
		return err
	}
	for _, r := range rows {
		line := fmt.Sprintf("%4d  %-24s", r.Number, r.Name)
		for i, a := range r.Answers {
			line += "  " + a + strings.Repeat(" ", max(len(columns[i])-len(a), 0))
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}
