package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheDocumentIsWhatTheListsSay(t *testing.T) {
	want, err := document()
	require.NoError(t, err)
	got, err := os.ReadFile("../../docs/syscalls.md")
	require.NoError(t, err)
	if want != string(got) {
		t.Fatal("docs/syscalls.md is not what profiles/*.syscalls say: run make docs")
	}
}

func TestSectionCopiesEveryRule(t *testing.T) {
	for _, row := range []struct{ rule, reason, want string }{
		{"getpid", "os.getpid", "| `getpid` |  | allow | os.getpid |\n"},
		{"clone3 -> errno ENOSYS", "flags behind a pointer", "| `clone3` |  | errno ENOSYS | flags behind a pointer |\n"},
		{"mmap arg2&PROT_EXEC|PROT_WRITE==PROT_EXEC arg3&MAP_ANONYMOUS==0", "code", "| `mmap` | `arg2&PROT_EXEC\\|PROT_WRITE==PROT_EXEC` `arg3&MAP_ANONYMOUS==0` | allow | code |\n"},
	} {
		var b strings.Builder
		writeRule(&b, row.rule, row.reason)
		assert.Equal(t, row.want, b.String())
	}
	// A rule that the walk over the text misses would be one that the filter has.
	var b strings.Builder
	assert.ErrorContains(t, section(&b, "init", "default errno EPERM\n[steady]\nread # files\n"), "init: 1 rules written, the filter has ")
}
