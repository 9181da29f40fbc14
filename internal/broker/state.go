package broker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// State is a state directory that this daemon alone uses.
type State struct {
	Dir  string // the broker's directory in it, its alone (0700)
	lock *os.File
}

// Close lets another daemon use the directory. So does the end of the process.
func (s *State) Close() { s.lock.Close() }

// Look says what keeps a daemon whose broker is uid:gid from using a state
// directory, *InUseError among it, and changes nothing. One that is not there is
// no obstacle: Claim makes it. What it says, but for that error, is the operator's
// to mend.
func Look(state string, uid, gid uint32) error {
	if err := reachable(filepath.Dir(state), uid, gid); err != nil {
		return err
	}
	dir, err := openState(state)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	mine := checkBroker(dir, state, uid, gid)
	if err := locked(dir, state, mine); err != nil {
		return err
	}
	return mine
}

// Claim takes the lock of a state directory, for as long as the process lives, and
// makes what is missing: the directory, which belongs to root and lets the broker's
// group pass, and the broker's in it. What is there already must be as this would
// make it: nothing is taken over, what lies in it is not touched, and before the
// lock is held nothing that is there is changed. It fails with *InUseError where
// another daemon holds it, and else as Look.
func Claim(state string, uid, gid uint32) (claimed *State, err error) {
	if err := Look(state, uid, gid); err != nil {
		return nil, err
	}
	if err := MakeDir(state, 0o700); err != nil {
		return nil, err
	}
	dir, err := openState(state)
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	held, err := lock(dir, state)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			held.Close()
		}
	}()
	if err := checkBroker(dir, state, uid, gid); err != nil { // again: another may have come and gone
		return nil, err
	}
	if err := letPass(dir, state, uid, gid); err != nil {
		return nil, err
	}
	return &State{Dir: state + "/" + brokerDir, lock: held}, makeBroker(dir, state, uid, gid)
}

// brokerDir is the broker's directory in a state directory, and newBrokerDir the same
// while it is made.
const (
	brokerDir    = "broker"
	newBrokerDir = "broker.new"
)

// Names are those in a state directory that a daemon uses, but for the executor's.
func Names() []string { return []string{brokerDir, newBrokerDir, lockName} }

// openState wants a directory in which nobody but root can put anything.
func openState(path string) (fd int, err error) {
	fd, err = unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("state_dir must be a directory, and no link: %w", &fs.PathError{Op: "open", Path: path, Err: err})
	}
	var st unix.Stat_t
	switch err = unix.Fstat(fd, &st); {
	case err != nil:
		err = &fs.PathError{Op: "stat", Path: path, Err: err}
	case st.Uid != 0:
		err = fmt.Errorf("state_dir %s belongs to uid %d, it must belong to root", path, st.Uid)
	case st.Mode&0o022 != 0:
		err = fmt.Errorf("state_dir %s has mode %04o: others than root may write there", path, st.Mode&0o7777)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// notOursError is a broker's directory that belongs to another.
type notOursError struct {
	dir        string
	owner, our [2]uint32 // uid, gid
}

func (e *notOursError) whose() string {
	return fmt.Sprintf("%s belongs to %d:%d, and the broker is %d:%d", e.dir, e.owner[0], e.owner[1], e.our[0], e.our[1])
}

// Error gives an advice that holds while no daemon uses the directory alone.
func (e *notOursError) Error() string {
	return fmt.Sprintf("%s; no daemon uses it now, so give it to the broker (chown -R %d:%d %s), or choose another broker_user or state_dir",
		e.whose(), e.our[0], e.our[1], e.dir)
}

// checkBroker looks at the broker's directory, if it is there.
func checkBroker(parent int, state string, uid, gid uint32) error {
	dir := state + "/" + brokerDir
	fd, err := unix.Openat(parent, brokerDir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the broker's directory must be one, and no link: %w", &fs.PathError{Op: "open", Path: dir, Err: err})
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return &fs.PathError{Op: "stat", Path: dir, Err: err}
	}
	if st.Uid != uid || st.Gid != gid {
		return &notOursError{dir: dir, owner: [2]uint32{st.Uid, st.Gid}, our: [2]uint32{uid, gid}}
	}
	if st.Mode&0o7777 != 0o700 {
		return fmt.Errorf("%s has mode %04o, it must have 0700", dir, st.Mode&0o7777)
	}
	return nil
}

// makeBroker makes the broker's directory, if it is not there. It gets its name when
// it is as it must be: a daemon that is killed before leaves one that has another
// name, and that the next takes up.
//
// Preconditions: the caller holds the state directory's lock.
func makeBroker(parent int, state string, uid, gid uint32) error {
	var st unix.Stat_t
	err := unix.Fstatat(parent, brokerDir, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, unix.ENOENT):
		return &fs.PathError{Op: "stat", Path: state + "/" + brokerDir, Err: err}
	}
	dir := state + "/" + newBrokerDir
	if err := unix.Unlinkat(parent, newBrokerDir, unix.AT_REMOVEDIR); err != nil && !errors.Is(err, unix.ENOENT) {
		return &fs.PathError{Op: "rmdir", Path: dir, Err: err}
	}
	if err := unix.Mkdirat(parent, newBrokerDir, 0o700); err != nil {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: err}
	}
	// Whatever the umask, and without the bit that a set-group-id directory passes on; before
	// it is another's, since a daemon need not have CAP_FOWNER.
	if err := unix.Fchmodat(parent, newBrokerDir, 0o700, 0); err != nil {
		return &fs.PathError{Op: "chmod", Path: dir, Err: err}
	}
	if err := unix.Fchownat(parent, newBrokerDir, int(uid), int(gid), unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return &fs.PathError{Op: "chown", Path: dir, Err: err}
	}
	if err := unix.Renameat(parent, newBrokerDir, parent, brokerDir); err != nil {
		return &fs.PathError{Op: "rename", Path: dir, Err: err}
	}
	return nil
}
