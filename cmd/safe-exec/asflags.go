package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"safe-exec/policy"
)

var (
	timeLimit = regexp.MustCompile(`\blimits\.timeout_ms is (-?\d{1,15}), the (minimum|maximum) is (\d{1,15})`)
	fieldName = regexp.MustCompile(`^(args|files|collect|env|stdin)(?:\[(\d{1,6})\](?:\.path)?|( (?:has|is) |: ))`)
	denyField = regexp.MustCompile(`\bpolicy\.deny(?:\[\d+\])?`)
)

// renamed are the API's names of what has a flag.
var renamed = strings.NewReplacer(
	"limits.timeout_ms", "--timeout", "limits.max_memory_mb", "--memory", "max_memory_mb", "--memory", "Idempotency-Key", "--key",
)

// asFlags puts the command line's names in the place of the API's, of which
// whoever reads a message here has written none.
func asFlags(text string) string {
	text = timeLimit.ReplaceAllStringFunc(text, func(found string) string {
		m := timeLimit.FindStringSubmatch(found)
		return fmt.Sprintf("--timeout is %s, the %s is %s", milliseconds(m[1]), m[2], milliseconds(m[3]))
	})
	text = denyField.ReplaceAllString(text, "--deny")
	text = fieldName.ReplaceAllStringFunc(text, func(found string) string {
		m := fieldName.FindStringSubmatch(found)
		name := map[string]string{"args": "--arg", "files": "--file"}[m[1]]
		if name == "" {
			name = "--" + m[1]
		}
		if n, err := strconv.Atoi(m[2]); err == nil {
			name = fmt.Sprintf("%s (number %d)", name, n+1)
		}
		return name + m[3]
	})
	return renamed.Replace(text)
}

func milliseconds(text string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > int64(time.Duration(1<<63-1)/time.Millisecond) {
		return text + "ms"
	}
	return policy.Short(time.Duration(n) * time.Millisecond)
}
