package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

// decision says of one field of what a jail is made from who makes it hold and
// what would fail if it did not: a test's name, a row of a table test by its
// words, or a probe of the escape battery by its file.
type decision struct{ field, enforced, proof string }

// A field that is not here has been added without deciding that.
var decisions = map[reflect.Type][]decision{
	reflect.TypeFor[policy.Limits](): {
		{"TimeoutMS", "the daemon's monotonic clock", "a loop without end is stopped by time"},
		{"MaxMemoryMB", "memory limit of the leaf, swap off", "TestMemoryBeyondTheLimitIsAnOOMKillThatTheCounterShows"},
		{"MaxStdoutBytes", "the daemon's capture", "TestAGigabyteOfOutputIsCountedAndCut"},
		{"MaxStderrBytes", "the daemon's capture", "TestCaptureMemoryIsBoundedByItsAllowance"},
		{"MaxOutputBytes", "the daemon's capture ends the run", "TestMoreThanTheOutputLimitEndsTheRun"},
		{"MaxPids", "pids limit of the leaf; RLIMIT_NPROC behind it", "a flood of threads is bounded"},
		{"MaxDiskBytes", "size of the tmpfs; RLIMIT_FSIZE behind it", "a full disk"},
		{"MaxFiles", "inodes of the tmpfs", "a disk full of names"},
		{"MaxOpenFiles", "RLIMIT_NOFILE, both values", "c5_descriptors"},
		{"CPUPercent", "cpu quota of the leaf", "TestProcessorQuotaThrottles"},
		{"MaxDenials", "the listener ends the run", "a flood of refused calls ends the run"},
	},
	reflect.TypeFor[policy.Level](): {
		{"Unrestricted", "no enforcement: the kernel's layers hold alone", "runs nothing of an unrestricted level either"},
		{"Imports", "the harness, on the tree and at each import", "an import that is not on the list"},
		{"BlockedImports", "the harness, on the tree and at each import", "a blocked import in the tree"},
		{"BlockedNames", "the harness, on the tree and by taking them away", "a blocked builtin in the tree"},
		{"ConstantNames", "the harness, on the tree", "is refused a name that is put together where only constant ones are allowed"},
	},
	reflect.TypeFor[wire.Setup](): {
		{"Image", "a bind mount of the sealed image", "TestMountAndSuperblockAreBothReadOnly"},
		{"LandlockABI", "what the ruleset handles", "TestRulesetByABI"},
		{"ReadRoots", "Landlock", "TestWhatEachPathMayBeUsedFor"},
		{"TmpBytes", "size= of the tmpfs", "a full disk"},
		{"TmpInodes", "nr_inodes= of the tmpfs", "a disk full of names"},
		{"UnshareCgroup", "unshare in the leaf; proved inside before the pivot", "namespace_cgroup_proof"},
		{"Rlimits", "prlimit64 before the ids change; posture", "rlimits"},
		{"Argv", "the exec; posture looks at the program", "program"},
		{"Env", "the exec; posture compares it whole", "environment"},
		{"StartupFilter", "seccomp before the exec; posture counts filters", "seccomp_filters"},
		{"InitFilter", "seccomp in the supervisor, which has one thread; posture counts filters", "init_filter"},
		{"Template", "the init's list of steps", "TestWhatATemplateAndItsForksAre"},
		{"Skip", "no enforcement: dead in the shipped build", "TestTheShippedBuildLeavesNothingOut"},
	},
	reflect.TypeFor[wire.Request](): {
		{"Kind", "the decoder takes what it knows", "TestMalformedMessagesAreRefused"},
		{"Names", "one mount for each descriptor; the self-test runs in each", "TestSelfTest"},
		{"InitUID", "uid_map of the jail; posture", "setresuid"},
		{"PayloadUID", "uid_map of the jail; posture", "setresgid"},
		{"CgroupV2", "clone into the leaf, or own attachment; posture", "enter_cgroup"},
		{"Template", "uid_map of the template", "TestWhatATemplateAndItsForksAre"},
		{"FirstUID", "uid_map of the template", "TestATemplateMapsTheWholeRange"},
		{"UIDs", "uid_map of the template", "TestATemplateMapsTheWholeRange"},
		{"TemplateGID", "gid_map of a template; posture", "the template maps ids and mounts nothing"},
		{"Skip", "no enforcement: dead in the shipped build", "TestTheShippedBuildLeavesNothingOut"},
	},
}

func TestEveryFieldOfAJailIsDecidedOn(t *testing.T) {
	known := proofs(t)
	for typ, rows := range decisions {
		decided := make(map[string]bool)
		for _, d := range rows {
			decided[d.field] = true
			_, there := typ.FieldByName(d.field)
			assert.True(t, there, "%s has no field %s any more", typ, d.field)
			assert.NotEmpty(t, d.enforced)
			assert.True(t, known[d.proof], "%s.%s: there is no test, row or probe %q", typ, d.field, d.proof)
		}
		for f := range typ.Fields() {
			assert.True(t, decided[f.Name], "%s.%s: say in this table what enforces it and what proves that", typ, f.Name)
		}
	}
}

// proofs collects the names of tests, the literals in test files, and the names
// of probes.
func proofs(t *testing.T) map[string]bool {
	t.Helper()
	found := make(map[string]bool)
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "archtest":
			return filepath.SkipDir // this table is no proof
		case strings.Contains(path, "escape/testdata/"):
			found[strings.TrimSuffix(entry.Name(), filepath.Ext(path))] = true
		case strings.HasSuffix(path, "_test.go"):
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					found[n.Name.Name] = true
				case *ast.BasicLit:
					if text, err := strconv.Unquote(n.Value); err == nil {
						found[text] = true
					}
				}
				return true
			})
		}
		return nil
	}))
	return found
}
