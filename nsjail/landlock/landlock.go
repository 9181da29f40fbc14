// Package landlock restricts the calling thread's view of the file system and
// the network with Landlock(7), in a way that a payload cannot undo.
//
// It protects the image and the host's files should the mount layout have a
// hole, and the init from signals of the payload. What a kernel cannot do yet is
// left out by Config.Plan, a pure function of the ABI, and is said in Missing: the
// caller decides whether to go on. ABI 1 is the least that can be asked for.
//
// The structures are defined here, because distribution headers are older than
// the kernels this runs on.
package landlock

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Access rights of a file hierarchy, LANDLOCK_ACCESS_FS_*.
const (
	execute    = 1 << 0
	writeFile  = 1 << 1
	readFile   = 1 << 2
	readDir    = 1 << 3
	removeDir  = 1 << 4
	removeFile = 1 << 5
	makeChar   = 1 << 6
	makeDir    = 1 << 7
	makeReg    = 1 << 8
	makeSock   = 1 << 9
	makeFifo   = 1 << 10
	makeBlock  = 1 << 11
	makeSym    = 1 << 12
	refer      = 1 << 13 // ABI 2
	truncate   = 1 << 14 // ABI 3
	ioctlDev   = 1 << 15 // ABI 5
)

// Network and scope rights, LANDLOCK_ACCESS_NET_* (ABI 4), LANDLOCK_SCOPE_* (ABI 6).
const (
	bindTCP        = 1 << 0
	connectTCP     = 1 << 1
	scopeAbstract  = 1 << 0
	scopeSignal    = 1 << 1
	allFilesABI1   = makeSym<<1 - 1
	allNetworkABI4 = bindTCP | connectTCP
	allScopesABI6  = scopeAbstract | scopeSignal
	createVersion  = 1 // LANDLOCK_CREATE_RULESET_VERSION
)

// ErrUnsupported means that the kernel has no Landlock, or that it is not
// enabled at boot.
var ErrUnsupported = errors.New("landlock: not supported by this kernel (needs Linux 5.13 with landlock among lsm=)")

// ABI asks the kernel which version of the interface it has, at least 1.
func ABI() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, createVersion)
	if errno == unix.ENOSYS || errno == unix.EOPNOTSUPP {
		return 0, ErrUnsupported
	}
	if errno != 0 {
		return 0, errno
	}
	return int(v), nil
}

// ability is one thing that a later ABI brought.
type ability struct {
	abi   int
	what  string
	files uint64
	net   uint64
	scope uint64
}

var abilities = []ability{
	{1, "files", allFilesABI1, 0, 0},
	{2, "rename and link across directories", refer, 0, 0},
	{3, "truncation", truncate, 0, 0},
	{4, "TCP bind and connect", 0, allNetworkABI4, 0},
	{5, "device ioctls", ioctlDev, 0, 0},
	{6, "signals and abstract sockets", 0, 0, allScopesABI6},
}

// rulesetAttr is struct landlock_ruleset_attr.
type rulesetAttr struct{ files, net, scope uint64 }

// handled says what a ruleset can control on a kernel of that ABI.
func handled(abi int) rulesetAttr {
	var a rulesetAttr
	for _, b := range abilities {
		if b.abi <= abi {
			a.files |= b.files
			a.net |= b.net
			a.scope |= b.scope
		}
	}
	return a
}

// Missing names what a kernel of that ABI cannot control.
func Missing(abi int) []string {
	var names []string
	for _, b := range abilities {
		if b.abi > abi {
			names = append(names, b.what)
		}
	}
	return names
}

// Config says what stays possible; all else that the ABI handles is refused:
// writing elsewhere, TCP, and signals to processes outside the domain.
type Config struct {
	ReadExec  []string // hierarchies that may be read and executed
	ReadWrite []string // directories in which files may be made, written and removed, never executed
	ReadFiles []string // single files that may be read
	ExecFiles []string // single files that may be read and executed
	WriteFile []string // single files that may be written
}

// Rule grants rights beneath one path.
type Rule struct {
	Path   string
	Rights uint64
}

// Plan is the pure part of a ruleset: what it handles on that ABI, as the three
// numbers of struct landlock_ruleset_attr, and which rights go with which path.
// Without refer in the ABI, a rename across directories stays refused.
func (c Config) Plan(abi int) (handles [3]uint64, rules []Rule) {
	h := handled(abi)
	const read = readFile | readDir
	const write = writeFile | removeDir | removeFile | makeDir | makeReg | makeSym | makeFifo | makeSock | refer | truncate
	add := func(paths []string, rights uint64) {
		for _, p := range paths {
			rules = append(rules, Rule{p, rights & h.files})
		}
	}
	add(c.ReadExec, read|execute)
	add(c.ReadWrite, read|write)
	add(c.ReadFiles, readFile)
	add(c.ExecFiles, readFile|execute)
	add(c.WriteFile, writeFile|truncate)
	return [3]uint64{h.files, h.net, h.scope}, rules
}

// RulePathBeneath is the kind of a Rule for landlock_add_rule(2), and RuleFD
// where in its struct landlock_path_beneath_attr, which is packed, behind the
// rights, the descriptor of the path is.
const (
	RulePathBeneath = 1
	RuleFD          = 8
	ruleSize        = 12
)

// Create makes a ruleset descriptor (close-on-exec) for the paths as the caller
// sees them now. RestrictSelf on it is a system call of its own.
func (c Config) Create(abi int) (int, error) {
	attr, rules := c.Plan(abi)
	r, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return -1, errno
	}
	fd := int(r)
	for _, rule := range rules {
		if err := addRule(fd, rule); err != nil {
			unix.Close(fd)
			return -1, err
		}
	}
	return fd, nil
}

// RuleOpen are the flags with which the path of a Rule is opened.
const RuleOpen = unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW

func addRule(ruleset int, r Rule) error {
	fd, err := unix.Open(r.Path, RuleOpen, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var a [ruleSize]byte
	*(*uint64)(unsafe.Pointer(&a[0])) = r.Rights
	*(*int32)(unsafe.Pointer(&a[RuleFD])) = int32(fd)
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE,
		uintptr(ruleset), RulePathBeneath, uintptr(unsafe.Pointer(&a)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
