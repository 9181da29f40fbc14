package seccomp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"safe-exec/seccomp"
)

func TestParsePolicy(t *testing.T) {
	const text = `
# A comment.
default notify
[steady]
getpid   # os.getpid
socketpair arg0&int==AF_UNIX arg2==0 # pairs
mmap arg2&PROT_EXEC|PROT_WRITE==0 # data
clone3 -> errno ENOSYS # behind a pointer
[startup]
execve # the interpreter
`
	steady := []seccomp.Rule{
		{Syscall: "getpid", Action: seccomp.Allow, Reason: "os.getpid"},
		{Syscall: "socketpair", Action: seccomp.Allow, Reason: "pairs", Args: []seccomp.Arg{
			{Index: 0, Mask: 0xffffffff, Value: 1}, {Index: 2, Mask: ^uint64(0), Value: 0}}},
		{Syscall: "mmap", Action: seccomp.Allow, Reason: "data", Args: []seccomp.Arg{{Index: 2, Mask: 6, Value: 0}}},
		{Syscall: "clone3", Action: seccomp.Errno(unix.ENOSYS), Reason: "behind a pointer"},
	}
	p, err := seccomp.ParsePolicy("list", strings.NewReader(text), seccomp.Steady)
	require.NoError(t, err)
	assert.Equal(t, seccomp.Policy{Name: "list/steady", Default: seccomp.Notify, Rules: steady}, p)
	p, err = seccomp.ParsePolicy("list", strings.NewReader(text), seccomp.Startup)
	require.NoError(t, err)
	assert.Equal(t, append(steady, seccomp.Rule{Syscall: "execve", Action: seccomp.Allow, Reason: "the interpreter"}), p.Rules)
}

func TestParsePolicyRefuses(t *testing.T) {
	const head = "default notify\n[steady]\n"
	for _, row := range []struct {
		what, text, message string
	}{
		{"a text without a default", "[steady]\nread # r", "list: default: invalid action 0x0"},
		{"a default that allows", "default allow\n", "list: default: a filter that allows what it does not name is no allow list"},
		{"two defaults", "default notify\ndefault kill\n", "list:2: a second default"},
		{"a rule outside a section", "default notify\nread # r", "list:2: a rule before the first [steady] or [startup]"},
		{"a rule without a reason", head + "read", "list:3: read: no reason given"},
		{"a rule with an empty reason", head + "read # ", "list:3: read: no reason given"},
		{"a rule that repeats the default", head + "read -> notify # r", "list:3: read: notify is the default already"},
		{"a name no call can have", head + "Read # r", `list:3: Read: "Read" is no name of a system call`},
		{"a line without a name", head + "-> allow # r", "list:3: no system call named"},
		{"an unknown action", head + "read -> maybe # r", `list:3: unknown action " maybe": want allow, notify, kill or errno NAME`},
		{"an unknown errno", head + "read -> errno EWHAT # r", `list:3: unknown errno "EWHAT"`},
		{"a seventh argument", head + "read arg6==0 # r", `list:3: condition "arg6==0": want argN==VALUE or argN&MASK==VALUE, N from 0 to 5`},
		{"another comparison", head + "read arg0!=0 # r", `list:3: condition "arg0!=0": want argN==VALUE or argN&MASK==VALUE, N from 0 to 5`},
		{"an unknown constant", head + "read arg0==O_WHAT # r", `list:3: condition "arg0==O_WHAT": "O_WHAT" is neither a number nor a known constant`},
		{"a mask of nothing", head + "read arg0&0==0 # r", "list:3: read: argument 0: an empty mask matches everything"},
		{"a value outside its mask", head + "read arg0&1==2 # r", "list:3: read: arg0&0x1==0x2 never matches: the value has bits outside the mask"},
		{"one argument compared twice", head + "read arg0==1 arg0==1 # r", "list:3: read: argument 0 is compared twice in one rule"},
		{"a rule that stands twice", head + "read # r\nwrite # w\nread # r", "list:5: read: a rule without conditions stands beside another: read"},
		{"a condition beside none", head + "read # r\nread arg0==1 # r", "list:4: read: a rule without conditions stands beside another: read arg0==0x1"},
		{"an alternative that stands twice", head + "read arg0==1 # r\nread arg0==1 # r", "list:4: read: read arg0==0x1 stands twice"},
		{"two actions for one call", head + "read arg0&1==1 # r\nread arg0&2==2 -> kill # r", "list:4: read: read arg0&0x2==0x2 -> kill overlaps a rule with another action"},
		{"an errno in start-up, which would hide reports", head + "[startup]\nread -> errno EPERM # r", "list:4: read -> errno EPERM: a rule of [startup] can only allow"},
		{"start-up repeating steady", head + "read # r\n[startup]\nread # r", "list:5: read: a rule without conditions stands beside another: read"},
		{"a line without end", head + "read # " + strings.Repeat("r", 1<<17), "list: bufio.Scanner: token too long"},
	} {
		t.Run(row.what, func(t *testing.T) {
			for _, phase := range []seccomp.Phase{seccomp.Steady, seccomp.Startup} {
				_, err := seccomp.ParsePolicy("list", strings.NewReader(row.text), phase)
				assert.EqualError(t, err, row.message)
			}
		})
	}
	_, err := seccomp.ParsePolicy("list", strings.NewReader(head), 0)
	assert.EqualError(t, err, "list: invalid phase 0")
}

func TestTwoActionsMayShareACallThatAnArgumentDecides(t *testing.T) {
	_, err := seccomp.ParsePolicy("list", strings.NewReader(
		"default notify\n[steady]\nprctl arg0&int==PR_SET_NAME # r\nprctl arg0&int==PR_SET_VMA -> errno EINVAL # r"), seccomp.Steady)
	assert.NoError(t, err)
}

func TestAction(t *testing.T) {
	for _, row := range []struct {
		action seccomp.Action
		text   string
		valid  bool
	}{
		{seccomp.Allow, "allow", true},
		{seccomp.Notify, "notify", true},
		{seccomp.KillProcess, "kill", true},
		{seccomp.Errno(unix.ENOSYS), "errno ENOSYS", true},
		{seccomp.Errno(4095), "errno 4095", true},
		{seccomp.Errno(0), "invalid action 0x50000", false}, // success for a call that did not happen
		{seccomp.Errno(4096), "invalid action 0x51000", false},
		{0, "invalid action 0x0", false}, // kill the thread only
		{unix.SECCOMP_RET_TRACE, "invalid action 0x7ff00000", false},
		{unix.SECCOMP_RET_LOG, "invalid action 0x7ffc0000", false},
	} {
		assert.Equal(t, row.text, row.action.String())
		assert.Equal(t, row.valid, row.action.Valid(), row.text)
	}
}

func FuzzParsePolicy(f *testing.F) {
	f.Add("default notify\n[steady]\nread # r\n[startup]\nexecve arg0&int==0x1 # x\n")
	f.Add("default errno EPERM\n[steady]\nmmap arg2&PROT_EXEC|PROT_WRITE==PROT_EXEC arg3&4==0 -> kill # r")
	f.Add("default kill\n[startup]\nexecve # r")
	f.Add("default kill\n[startup]\nclone3 -> errno ENOSYS # r")
	f.Add("default notify\n[steady]\nread arg5&0xffffffffffffffff==18446744073709551615 # r # s")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := seccomp.ParsePolicy("fuzz", strings.NewReader(text), seccomp.Startup)
		if err != nil {
			assert.True(t, strings.HasPrefix(err.Error(), "fuzz:"), err)
			return
		}
		require.NoError(t, p.Validate())
		steady, err := seccomp.ParsePolicy("fuzz", strings.NewReader(text), seccomp.Steady)
		require.NoError(t, err, "what start-up accepts, steady accepts")
		require.Equal(t, steady.Rules, append([]seccomp.Rule(nil), p.Rules[:len(steady.Rules)]...), "steady is where start-up begins")
		for _, r := range p.Rules {
			again, err := seccomp.ParsePolicy("fuzz", strings.NewReader(
				"default "+p.Default.String()+"\n[steady]\n"+r.String()+" # "+r.Reason), seccomp.Steady)
			require.NoError(t, err, r.String())
			require.Equal(t, r, again.Rules[0], "a rule prints as what it is")
		}
	})
}
