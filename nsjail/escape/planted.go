package escape

import (
	"os"

	"safe-exec/nsjail/lease"
)

// planted is the beginning of the names of directories with targets.
const planted = "safe-exec-escape-"

// plantDir makes a directory of targets below parent, which is removed when its owner
// is dead.
func plantDir(parent string) (path string, lock *os.File, err error) {
	return lease.Scratch(parent, planted)
}

// rootsDirectory says whether path is a directory, no link to one, that only
// root may change.
func rootsDirectory(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return false
	}
	uid, ok := ownerOf(info)
	return ok && uid == 0
}
