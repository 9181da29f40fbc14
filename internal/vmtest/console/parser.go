package console

import (
	"fmt"
	"strings"
)

// Result is what the host knows of one command.
type Result struct {
	Report
	Began   bool
	Ended   bool
	Passed  int      // lines "--- PASS"
	Failed  []string // lines "--- FAIL"
	Skipped []string // lines "--- SKIP"
}

// Parser reads the console line by line. Its zero value is ready.
type Parser struct {
	results []*Result
	started int
	running *Result
	ended   bool
	faults  []string // what is wrong with the conversation itself
}

// Line takes one line without its line end and returns what to show of it to a
// person: a command's own words come without their prefix.
func (p *Parser) Line(line string) string {
	line = strings.TrimRight(line, "\r\n")
	if out, ok := strings.CutPrefix(line, OutputPrefix); ok {
		p.output(out)
		return out
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case wordStart:
		p.count(line, rest, &p.started)
	case wordBegin:
		p.begin(rest)
	case wordReport:
		p.report(line, rest)
	case wordFatal:
		p.fault("the machine's init gave up: %s", rest)
	case wordEnd:
		var n int
		if p.count(line, rest, &n) && (n != p.started || n != len(p.results)) {
			p.fault("the machine says it ran %d commands, it began %d of %d", n, len(p.results), p.started)
		}
		p.ended = true
	}
	return line
}

func (p *Parser) count(line, rest string, n *int) bool {
	if _, err := fmt.Sscanf(rest, "commands=%d", n); err != nil || rest != fmt.Sprintf("commands=%d", *n) {
		p.fault("garbled line %q", line)
		return false
	}
	return true
}

func (p *Parser) begin(name string) {
	if p.running != nil {
		p.fault("%s began before %s ended", name, p.running.Name)
	}
	p.running = &Result{Report: Report{Name: name}, Began: true}
	p.results = append(p.results, p.running)
}

func (p *Parser) report(line, rest string) {
	r, err := parseReport(rest)
	switch {
	case err != nil:
		p.fault("garbled line %q: %v", line, err)
	case p.running == nil || p.running.Name != r.Name:
		p.fault("a report of %s, which was not running", r.Name)
	default:
		p.running.Report, p.running.Ended = r, true
		p.running = nil
	}
}

// output counts what "go test -v" says about tests; subtests are indented.
func (p *Parser) output(line string) {
	if p.running == nil {
		return
	}
	verdict, found := strings.CutPrefix(strings.TrimLeft(line, " \t"), "--- ")
	if !found {
		return
	}
	switch {
	case strings.HasPrefix(verdict, "PASS: "):
		p.running.Passed++
	case strings.HasPrefix(verdict, "FAIL: "):
		p.running.Failed = append(p.running.Failed, verdict[len("FAIL: "):])
	case strings.HasPrefix(verdict, "SKIP: "):
		p.running.Skipped = append(p.running.Skipped, verdict[len("SKIP: "):])
	}
}

func (p *Parser) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// Results are the commands in the order they began.
func (p *Parser) Results() []Result {
	list := make([]Result, 0, len(p.results))
	for _, r := range p.results {
		list = append(list, *r)
	}
	return list
}
