package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"safe-exec/httpapi/ledger"
	"safe-exec/httpapi/observe"
	"safe-exec/policy"
)

// defaultAuditDir is where the daemon writes its ledger.
func defaultAuditDir(stateDir string) string { return filepath.Join(stateDir, brokerName, auditName) }

// auditName is the ledger's directory in the broker's.
const auditName = "audit"

// audit reads the ledger, which a daemon may be writing meanwhile.
func audit(args []string, std stdio) int {
	verbs := map[string]func([]string, stdio) int{"verify": auditVerify, "show": auditShow}
	if len(args) > 0 && verbs[args[0]] != nil {
		return verbs[args[0]](args[1:], std)
	}
	if len(args) > 0 && (args[0] == "-h" || args[0] == "--help") {
		fmt.Fprintln(std.out, "usage: safe-exec audit verify|show [FLAGS]")
		fmt.Fprintln(std.out, "  verify   say whether the ledger holds together, or where it breaks first")
		fmt.Fprintln(std.out, "  show     print its runs")
		fmt.Fprintln(std.out, auditNotes)
		fmt.Fprintln(std.out, auditHelp)
		return exitOK
	}
	std.complain(errors.New("audit: say verify or show"))
	std.hint(auditHelp)
	return exitUsage
}

const (
	auditNotes = "exit status: 0 when it holds together, 1 when it does not, 2 when that cannot be told"
	auditHelp  = "safe-exec audit verify --help and safe-exec audit show --help list the flags"
)

func auditDir(fs *flags) *string {
	usual := defaultAuditDir(defaultStateDir)
	return fs.String("dir", usual, "the ledger's `DIR`, or the daemon's state_dir (default "+usual+")")
}

// ledgerIn takes a daemon's state_dir for the ledger below it. Where that cannot be
// seen, it says so of the directory that was named, whichever of the two it is.
func ledgerIn(dir string) (string, error) {
	below := defaultAuditDir(dir)
	switch info, err := os.Stat(below); {
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("%s: %w: root may read the ledger, and the broker's user", dir, fs.ErrPermission)
	case err == nil && info.IsDir():
		return below, nil
	}
	return dir, nil
}

// auditVerify says in one line whether the ledger holds together, or where it
// breaks first.
func auditVerify(args []string, std stdio) int {
	fs := newFlags("audit verify", "", auditNotes)
	dir := auditDir(fs)
	var anchor *ledger.Point
	fs.Func("anchor", "`SEQ:HASH` that was noted down elsewhere and must be on the chain", func(text string) (err error) {
		anchor, err = parsePoint(text)
		return err
	})
	if status, done := fs.parse(args, 0, std); done {
		return status
	}
	in, err := ledgerIn(*dir)
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	s, err := ledger.Verify(in, anchor, nil)
	var broken *ledger.Broken
	switch {
	case errors.As(err, &broken):
		fmt.Fprintln(std.out, broken)
		return exitFailed
	case err != nil:
		std.complain(err)
		return exitUsage
	}
	fmt.Fprintln(std.out, verdictOf(s))
	return exitOK
}

func verdictOf(s ledger.Summary) string {
	text := fmt.Sprintf("%s, %s, %s, seq %d..%d, head ok, hash %s", counted(s.Records, "record"), counted(s.Runs, "run"), counted(s.Files, "file"), s.First, s.Last.Seq, s.Last.Hash)
	for _, more := range []struct {
		n    uint64
		text string
	}{
		{s.BeyondHead, counted(s.BeyondHead, "record") + " beyond the head, of a daemon that runs or was killed"},
		{uint64(s.Unfinished), "an unfinished line of " + counted(s.Unfinished, "byte") + " at the end, as a killed daemon leaves it"},
		{s.Open, counted(s.Open, "run") + " without an end yet, of a daemon that runs or was killed"},
		{s.CutOff, counted(s.CutOff, "run") + " cut off by the end of a daemon"},
		{s.Lost, "no record of " + counted(s.Lost, "run") + ", as the ledger says"},
	} {
		if more.n > 0 {
			text += "; " + more.text
		}
	}
	return text
}

func counted[N int | int64 | uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func parsePoint(text string) (*ledger.Point, error) {
	number, hash, _ := strings.Cut(text, ":")
	seq, err := strconv.ParseUint(number, 10, 64)
	if digits, bad := hex.DecodeString(hash); err != nil || seq == 0 || bad != nil || len(digits) != sha256.Size {
		return nil, errors.New("want a sequence number, a colon, and the hash in 64 hexadecimal digits")
	}
	return &ledger.Point{Seq: seq, Hash: strings.ToLower(hash)}, nil
}

// auditShow prints the runs in the order of their ends, and then those that have none.
func auditShow(args []string, std stdio) int {
	fs := newFlags("audit show", "", auditNotes+"; what stands before a break is shown")
	dir := auditDir(fs)
	caller := fs.String("caller", "", "only runs of the caller `WHO`: \"uid N\" or \"token NAME\"")
	var since time.Duration
	fs.DurationVar(&since, "since", 0, "only runs of the last `D`")
	asJSON := fs.Bool("json", false, "print the records as they stand there, one on a line")
	if status, done := fs.parse(args, 0, std); done {
		return status
	}
	_, known := policy.ParseCaller(*caller)
	switch {
	case fs.Changed("since") && since <= 0:
		return fs.wrong(std, "--since %s: want a duration above 0", since)
	case fs.Changed("caller") && !known:
		return fs.wrong(std, "--caller %q: want \"uid N\" or \"token NAME\"", *caller)
	}
	show := shower{open: map[uint64]ledger.Record{}, out: std.out, asJSON: *asJSON, caller: *caller}
	if since > 0 {
		show.from = time.Now().Add(-since)
	}
	in, err := ledgerIn(*dir)
	if err != nil {
		std.complain(err)
		return exitUsage
	}
	_, err = ledger.Verify(in, nil, show.record)
	show.unended()
	var broken *ledger.Broken
	switch err = errors.Join(err, show.err); {
	case errors.As(err, &broken):
		std.complain(err)
		return exitFailed
	case err != nil:
		std.complain(err)
		return exitUsage
	case *caller != "" && !show.seen:
		std.hint("the ledger has no run of " + *caller)
	case *caller != "" && !show.shown:
		std.hint("the ledger has no run of " + *caller + " of that time")
	}
	return exitOK
}

type shower struct {
	open   map[uint64]ledger.Record // by the sequence number of the begin
	out    io.Writer
	asJSON bool
	caller string
	from   time.Time
	seen   bool   // a run of the caller
	shown  bool   // a run of the caller, of the time that was asked for
	last   uint64 // shown: a ledger that changes while it is read is read again
	err    error
}

func (s *shower) record(r ledger.Record) {
	if r.Seq <= s.last {
		return
	}
	s.last = r.Seq
	switch {
	case r.Begun != nil && r.Begun.Of == nil:
		s.open[r.Seq] = r
	case r.Begun != nil:
		if _, known := s.open[r.Begun.Of.Seq]; !known { // its begin was dropped
			s.open[r.Begun.Of.Seq] = r
		}
	case r.Run != nil:
		delete(s.open, r.Run.Begin)
	}
	switch {
	case s.asJSON && (r.Run != nil || r.Begun != nil && r.Begun.Of == nil):
		if s.wants(askedOf(r), r.Time) {
			s.err = json.NewEncoder(s.out).Encode(r)
		}
	case !s.asJSON && r.Run != nil:
		status, reason := outcomeOf(r.Run)
		s.line(r, r.Run.Asked, r.Run.Program, string(status), reason)
	}
}

// outcomeOf says how a run ended and why: what has no reason has the code of its error.
// Ledgers of earlier versions have the status error for what was refused, too.
func outcomeOf(r *ledger.Run) (policy.Status, string) {
	status, reason := r.Status, cmp.Or(string(r.Reason), string(r.Code))
	if status == policy.Errored && r.Reason == "" && observe.Refuses(r.Code) {
		status = observe.Refused
	}
	return status, reason
}

// unended prints the runs that have begun and not ended. As JSON they stand there.
func (s *shower) unended() {
	if s.asJSON {
		return
	}
	for _, seq := range slices.Sorted(maps.Keys(s.open)) {
		r := s.open[seq]
		s.line(r, r.Begun.Asked, r.Begun.Program, "open", "")
	}
}

func (s *shower) line(r ledger.Record, asked ledger.Asked, program ledger.Program, status, reason string) {
	if !s.wants(asked, r.Time) {
		return
	}
	_, s.err = fmt.Fprintf(s.out, "%-7d  %s  %-12s %-5s  %-10s  %-9s  %-16s  code %.12s\n",
		r.Seq, r.Time.Format(time.RFC3339), oneLine(asked.Who), oneLine(asked.Kind), oneLine(program.Language),
		oneLine(status), oneLine(reason), oneLine(program.CodeSHA256))
}

func (s *shower) wants(asked ledger.Asked, at time.Time) bool {
	if s.caller != "" && asked.Who != s.caller {
		return false
	}
	s.seen = true
	if at.Before(s.from) {
		return false
	}
	s.shown = true
	return s.err == nil
}

func askedOf(r ledger.Record) ledger.Asked {
	if r.Run != nil {
		return r.Run.Asked
	}
	return r.Begun.Asked
}
