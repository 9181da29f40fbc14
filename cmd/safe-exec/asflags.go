package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"safe-exec/policy"
)

const timeField = "limits.timeout_ms"

// flagOf has the command line's name for each field that it sets: its users have never
// seen the API's.
var flagOf = map[string]string{
	timeField: "--timeout", "limits.max_memory_mb": "--memory",
	"policy": "--policy", "policy.level": "--policy", "policy.deny": "--deny", "level": "--level", "limit": "--limit", "language": "--language", "profile": "--profile", "start_mode": "--start-mode",
	"stdin": "--stdin", "args": "--arg", "env": "--env", "files": "--file", "collect": "--collect",
	"Idempotency-Key": "--key", "Last-Event-ID": "--after", "status": "--status",
	"url": "--url", "token": "$" + tokenVariable,
}

// asFlag is the command line's name of a field. What has none there keeps its own.
func asFlag(field string) string {
	if name, ok := strings.CutPrefix(field, "env."); ok {
		return flagOf["env"] + " " + name
	}
	list, item, _ := strings.Cut(field, "[")
	flag, known := flagOf[list]
	if !known {
		return field
	}
	number, _, _ := strings.Cut(item, "]")
	if n, err := strconv.Atoi(number); err == nil && list != "policy.deny" { // all its names stand in one flag
		return fmt.Sprintf("%s (number %d)", flag, n+1)
	}
	return flag
}

// inFlags is an error's message with the command line's name for the field, and with
// times as the command line writes them.
func inFlags(e *policy.Error) string {
	if e.Predicate == "" {
		return e.Message
	}
	predicate := e.Predicate
	if e.Field == timeField {
		value, err := strconv.ParseInt(string(e.Value), 10, 64)
		switch {
		case e.Maximum != nil && e.Minimum != nil:
			predicate = fmt.Sprintf("of this caller is at most %s, and this profile needs %s", milliseconds(*e.Maximum), milliseconds(*e.Minimum))
		case err == nil && e.Maximum != nil:
			predicate = fmt.Sprintf("is %s, the maximum is %s", milliseconds(value), milliseconds(*e.Maximum))
		case err == nil && e.Minimum != nil:
			predicate = fmt.Sprintf("is %s, the minimum is %s", milliseconds(value), milliseconds(*e.Minimum))
		}
	}
	return policy.Sentence(asFlag(e.Field), predicate)
}

func milliseconds(n int64) string {
	d := time.Duration(n) * time.Millisecond
	if d.Milliseconds() != n { // longer than any Duration
		return fmt.Sprintf("%dms", n)
	}
	return policy.Short(d)
}

// hintOf is the hint of a verdict, with the flag that can raise the limit that was hit.
func hintOf(t policy.Termination) string {
	hint, flag := strings.TrimSuffix(t.Hint, "."), asFlag(t.LimitField)
	switch {
	case flag == "" || t.Limit == nil:
		return t.Hint
	case *t.Limit < t.LimitMaximum:
		return hint + ", or ask for a higher " + flag + "."
	}
	return hint + "; " + flag + " is already the highest allowed."
}
