package regrtest

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed driver.py
var driver string

// Modules are CPython's tests of the allowed modules and of what these are made
// of.
var Modules = strings.Fields(`
test_json test_math test_re test_datetime test_time test_strftime test_strptime
test_calendar test_collections test_deque test_defaultdict test_ordered_dict
test_userdict test_userlist test_userstring test_functools test_itertools
test_random test_statistics test_string test_string_literals test_base64
test_binascii test_hashlib test_hmac test_secrets test_urlparse test_html
test_htmlparser test_xml_etree test_xml_etree_c test_typing test_types test_copy
test_pprint test_textwrap`)

// Outcome is what came of one test.
type Outcome struct {
	Result string // ok, skipped, FAIL, ERROR, expected failure, unexpected success
	Detail string // why, where it is not ok
}

// Table is the outcome of every test of a module, by the test's whole name.
type Table map[string]Outcome

// Program is the text that runs one module.
func Program(module string) string { return strings.ReplaceAll(driver, "@MODULE@", module) }

const mark = "\x01"

// Parse reads what Program prints. What the tests print themselves stands
// between its lines. A run that did not reach its end is an error.
func Parse(stdout string) (Table, error) {
	table, complete := make(Table), false
	for line := range strings.Lines(stdout) {
		_, text, marked := strings.Cut(strings.TrimSuffix(line, "\n"), mark)
		if !marked {
			continue
		}
		fields := strings.Split(text, "\t")
		switch {
		case text == "end":
			complete = true
		case len(fields) == 3:
			table[fields[0]] = Outcome{Result: fields[1], Detail: fields[2]}
		default:
			return nil, fmt.Errorf("not a line of an outcome: %q", text)
		}
	}
	if !complete {
		return nil, fmt.Errorf("the tests ended after %d outcomes, before their own end", len(table))
	}
	return table, nil
}
