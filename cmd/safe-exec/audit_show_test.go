package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/httpapi/ledger"
	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

func TestAuditShow(t *testing.T) {
	dir := audited(t)
	for _, row := range []struct {
		name string
		args []string
		want int // lines
	}{
		{"all runs", nil, 4},
		{"of one caller", []string{"--caller", "uid 1001"}, 2},
		{"of the last time", []string{"--since", "90m"}, 2},
		{"of both", []string{"--since", "90m", "--caller", "uid 1001"}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := invoke(t, append([]string{"audit", "show", "--dir", dir}, row.args...)...)
			assert.Zero(t, got.code)
			assert.Empty(t, got.stderr)
			assert.Equal(t, row.want, strings.Count(got.stdout, "\n"), got.stdout)
		})
	}
	for _, row := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"a caller who ran nothing", []string{"--caller", "uid 1"}, 0, "hint: the ledger has no run of uid 1\n"},
		{"a caller who ran nothing of late", []string{"--caller", "uid 1001", "--since", "1ns"}, 0, "hint: the ledger has no run of uid 1001 of that time\n"},
		{"a caller by another form", []string{"--caller", "bob"}, 2, "safe-exec: audit show: --caller \"bob\": want \"uid N\" or \"token NAME\"\nhint: "},
		{"no caller", []string{"--caller", ""}, 2, "safe-exec: audit show: --caller is empty\n"},
		{"no time", []string{"--since", "0s"}, 2, "safe-exec: audit show: --since 0s: want a duration above 0\nhint: "},
		{"a time to come", []string{"--since", "-5m"}, 2, "safe-exec: audit show: --since -5m0s: want a duration above 0\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := invoke(t, append([]string{"audit", "show", "--dir", dir}, row.args...)...)
			assert.Equal(t, row.code, got.code)
			assert.Empty(t, got.stdout)
			assert.True(t, strings.HasPrefix(got.stderr, row.want), got.stderr)
		})
	}
	got := invoke(t, "audit", "show", "--dir", dir, "--json")
	stored, err := os.ReadFile(filepath.Join(dir, "audit-0000000000000001.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, got.stdout)
	assert.Contains(t, string(stored), got.stdout, "a record is shown as it stands there")
	assert.Equal(t, 2, invoke(t, "audit").code)
	assert.Equal(t, 2, invoke(t, "audit", "mend").code)
	assert.Zero(t, invoke(t, "audit", "--help").code)
}

func TestALedgerThatThisUserMayNotSeeIsNamed(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "broker", "audit"), 0o700))
	require.NoError(t, os.Chmod(dir, 0o700))
	for _, command := range []string{"verify", "show"} {
		want := "safe-exec: " + dir + ": permission denied: root may read the ledger, and the broker's user\n"
		assert.Equal(t, outcome{2, "", want}, invokeAs(t, nobody(0), "", "audit", command, "--dir", dir), command)
	}
}

func TestTheColumnsOfAuditShowStandStill(t *testing.T) {
	at := func(seq uint64) int {
		var out strings.Builder
		s := shower{out: &out}
		s.record(ledger.Record{Seq: seq, Run: &ledger.Run{Status: policy.Succeeded}})
		return strings.Index(out.String(), "succeeded")
	}
	assert.Equal(t, at(1), at(123456))
}

func TestAuditShowTellsWhatWasRefusedFromWhatFailed(t *testing.T) {
	for _, row := range []struct {
		name string
		run  ledger.Run
		want string
	}{
		{"a verdict has its reason", ledger.Run{Status: policy.Failed, Reason: policy.ReasonException}, "failed     exception"},
		{"a refusal has its code", ledger.Run{Status: observe.Refused, Code: policy.CodeInvalid}, "refused    invalid"},
		{"so has one of a ledger that has another word for it", ledger.Run{Status: policy.Errored, Code: policy.CodeTooLarge}, "refused    too_large"},
		{"a failure of ours has its code", ledger.Run{Status: policy.Errored, Code: policy.CodeSetup}, "error      setup_error"},
		{"a run that was cut off has its reason", ledger.Run{Status: policy.Errored, Reason: policy.ReasonRestarted, Code: policy.CodeUnavailable}, "error      restarted"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out strings.Builder
			s := shower{out: &out}
			s.record(ledger.Record{Seq: 1, Time: time.Now(), Run: &row.run})
			require.NoError(t, s.err)
			assert.Contains(t, out.String(), "  "+row.want+" ")
		})
	}
}
