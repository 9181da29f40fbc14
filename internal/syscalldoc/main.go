// Command syscalldoc writes docs/syscalls.md: what each profile may ask of the
// kernel and why, taken from profiles/*.syscalls, so that the document cannot
// say anything else than the filters are made from. `make docs` runs it; its
// test fails when the document is not what it would write.
package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"safe-exec/profiles"
	"safe-exec/seccomp"
)

func main() {
	text, err := document()
	if err == nil {
		_, err = os.Stdout.WriteString(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "syscalldoc:", err)
		os.Exit(1)
	}
}

// lists are the files, in the order of the document.
var lists = []struct{ name, title string }{
	{"python", "Python"},
	{"javascript", "JavaScript"},
	{"init", "The init of a jail"},
	{"broker", "The broker, the process that talks to callers"},
	{"native", "A program of root's in place of the interpreter"},
}

const preface = `# System calls

What a process in a jail may ask of the kernel, and the daemon's broker, and why. This file is written by
` + "`make docs`" + ` from ` + "`profiles/*.syscalls`" + `; a test fails when it is not.

A process is under its list's filter from before it executes the interpreter
(phase startup) and, from just before the user's text is read to the end, under a
second one that allows less (phase steady). The kernel does what the stricter of
the two says. A call that no line names is answered EPERM and reported in
` + "`denials`" + `; before the second filter stands, where nobody listens, it is answered
ENOSYS. A call of the 32-bit or the x32 table ends the process.

A condition such as ` + "`arg1&int==F_GETFD`" + ` compares the bits that the kernel reads
of an argument. Paths, and flags behind a pointer, no filter can see: Landlock and
the mounts bound the former, calls with the latter are refused.

Recent kernels (seen on 6.18) pass two calls by every filter, whatever it says:
uretprobe (335) and uprobe (336). They serve probes that root has set on a
program; who calls them without one gets SIGILL or ENXIO.
`

func document() (string, error) {
	var b strings.Builder
	b.WriteString(preface)
	if err := overview(&b); err != nil {
		return "", err
	}
	for _, l := range lists {
		text, err := profiles.Syscalls(l.name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n## %s\n", l.title)
		if err := section(&b, l.name, string(text)); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// overview is one row for each call that any list allows.
func overview(b *strings.Builder) error {
	type column struct {
		title string
		list  string
		phase seccomp.Phase
	}
	columns := []column{
		{"Python, steady", "python", seccomp.Steady}, {"startup", "python", seccomp.Startup},
		{"JavaScript, steady", "javascript", seccomp.Steady}, {"startup", "javascript", seccomp.Startup},
		{"init", "init", seccomp.Steady},
	}
	marks := make([]map[string]string, len(columns))
	rows := make(map[string]bool)
	var counts []string
	for i, c := range columns {
		p, err := parse(c.list, c.phase)
		if err != nil {
			return err
		}
		marks[i] = make(map[string]string)
		for _, r := range p.Rules {
			if r.Action != seccomp.Allow {
				continue
			}
			rows[r.Syscall] = true
			marks[i][r.Syscall] = "yes"
			if len(r.Args) > 0 {
				marks[i][r.Syscall] = "some"
			}
		}
		counts = append(counts, fmt.Sprint(len(marks[i])))
	}
	b.WriteString("\n## At a glance\n\n`yes`: with any arguments; `some`: with those below.\n\n| call |")
	for _, c := range columns {
		b.WriteString(" " + c.title + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		b.WriteString("| `" + name + "` |")
		for _, m := range marks {
			b.WriteString(" " + m[name] + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("| **calls** | " + strings.Join(counts, " | ") + " |\n")
	return nil
}

func parse(list string, phase seccomp.Phase) (seccomp.Policy, error) {
	text, err := profiles.Syscalls(list)
	if err != nil {
		return seccomp.Policy{}, err
	}
	return seccomp.ParsePolicy(list+".syscalls", bytes.NewReader(text), phase)
}

// section copies a list: its comments as paragraphs, its rules as tables.
func section(b *strings.Builder, name, text string) error {
	p, err := parse(name, seccomp.Startup)
	if err != nil {
		return err
	}
	rules, table := 0, false
	var comment []string
	prose := func() {
		if len(comment) > 0 {
			fmt.Fprintf(b, "\n%s\n", strings.Join(comment, "\n"))
			comment, table = nil, false
		}
	}
	for line := range strings.Lines(text) {
		rule, reason, _ := strings.Cut(strings.TrimSpace(line), "#")
		rule, reason = strings.TrimSpace(rule), strings.TrimSpace(reason)
		switch {
		case rule == "" && reason != "":
			comment = append(comment, reason)
			continue
		case rule == "":
			prose()
			continue
		}
		prose()
		switch {
		case strings.HasPrefix(rule, "default "):
			fmt.Fprintf(b, "\nEverything else: `%s`.\n", strings.TrimPrefix(rule, "default "))
		case rule == "["+seccomp.Steady.String()+"]":
			b.WriteString("\n### In both phases\n")
		case rule == "["+seccomp.Startup.String()+"]":
			b.WriteString("\n### In startup only\n")
			table = false
		default:
			if !table {
				b.WriteString("\n| call | arguments | answer | why |\n|---|---|---|---|\n")
				table = true
			}
			rules++
			writeRule(b, rule, reason)
		}
	}
	if rules != len(p.Rules) {
		return fmt.Errorf("%s: %d rules written, the filter has %d", name, rules, len(p.Rules))
	}
	return nil
}

func writeRule(b *strings.Builder, rule, reason string) {
	match, action, ok := strings.Cut(rule, " -> ")
	if !ok {
		action = "allow"
	}
	call, conditions, _ := strings.Cut(match, " ")
	cell := func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
	var args []string
	for _, c := range strings.Fields(conditions) {
		args = append(args, "`"+cell(c)+"`")
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", call, strings.Join(args, " "), action, cell(reason))
}
