package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// reservedTasks is what the jails leave the daemon of the tasks that its own cgroup
// may have: at a thread that cannot be made the Go runtime ends the process. Where
// there is little, they leave half.
const reservedTasks = 128

// keepRoom limits the tasks of all leaves of a parent together, where something
// above it limits them and the daemon's own (systemd's TasksMax, --pids-limit of a
// container). It is asked once, when the daemon starts.
func keepRoom(parent group) error {
	room, limited, err := taskRoom(parent.parent())
	if err != nil || !limited {
		return err
	}
	room -= min(reservedTasks, room/2)
	if room < 2 {
		return fmt.Errorf("cgroup: pids.max at or above %s leaves no room for jails: raise it (TasksMax of the unit)", filepath.Dir(parent.dir))
	}
	return writeFile(filepath.Join(parent.dir, "pids.max"), strconv.FormatInt(room, 10))
}

// taskRoom is how many tasks a group may get, by its own limit and those above.
func taskRoom(g group) (room int64, limited bool, err error) {
	for ; ; g = g.parent() {
		most, err := os.ReadFile(filepath.Join(g.dir, "pids.max"))
		switch text := strings.TrimSpace(string(most)); {
		case errors.Is(err, fs.ErrNotExist): // the root has none
		case err != nil:
			return 0, false, err
		case text != "max":
			n, err := tasks(text)
			if err != nil {
				return 0, false, err
			}
			now, err := os.ReadFile(filepath.Join(g.dir, "pids.current"))
			if err != nil {
				return 0, false, err
			}
			used, err := tasks(strings.TrimSpace(string(now)))
			if err != nil {
				return 0, false, err
			}
			if left := max(n-used, 0); !limited || left < room {
				room, limited = left, true
			}
		}
		if g.dir == g.point {
			return room, limited, nil
		}
	}
}

func tasks(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }
