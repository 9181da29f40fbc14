package child

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"safe-exec/nsjail/wire"
)

// A template's user namespace maps all uids of a daemon, so that each fork can
// have a pair of its own: inside 0 and 1 are the template's own pair, and the
// rest of the range follows from firstForkID on, without the pair.
const firstForkID = 2

// InsideID says as which id a template's user namespace has a host uid, which it
// does not if it lies outside the range or belongs to the template's own pair.
// own is the first of that pair, both of which lie in the range.
func InsideID(first, count, own, host uint32) (inside uint32, ok bool) {
	if host < first || host-first >= count || host == own || host == own+1 {
		return 0, false
	}
	inside = host - first + firstForkID
	if host > own {
		inside -= 2
	}
	return inside, true
}

// idMap is the text of uid_map or gid_map of what is spawned. All templates have
// one gid.
func idMap(req wire.Request, name string) string {
	var text strings.Builder
	line := func(inside, outside, count uint32) {
		if count > 0 {
			fmt.Fprintf(&text, "%d %d %d\n", inside, outside, count)
		}
	}
	if !req.Template {
		line(wire.InitID, req.InitUID, 1)
		line(wire.PayloadID, req.PayloadUID, 1)
		return text.String()
	}
	below := req.InitUID - req.FirstUID
	if name == "gid_map" {
		line(wire.InitID, req.TemplateGID, 1)
	} else {
		line(wire.InitID, req.InitUID, 2)
	}
	line(firstForkID, req.FirstUID, below)
	line(firstForkID+below, req.InitUID+2, req.UIDs-below-2)
	return text.String()
}

// forkMap is the same of a fork, whose ids are named as its template has them.
func forkMap(init, payload uint32) string {
	return fmt.Sprintf("%d %d 1\n%d %d 1\n", wire.InitID, init, wire.PayloadID, payload)
}

// mapIDs gives the child's user namespace its identities.
func mapIDs(pid int, req wire.Request) error {
	if req.Template && (req.PayloadUID != req.InitUID+1 || req.InitUID < req.FirstUID || req.UIDs < 2 || req.InitUID-req.FirstUID > req.UIDs-2) {
		return stepError("spawn_uid_map", unix.EINVAL)
	}
	for _, name := range []string{"uid_map", "gid_map"} {
		fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/"+name, unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return stepError("spawn_"+name, err)
		}
		_, err = unix.Write(fd, []byte(idMap(req, name)))
		unix.Close(fd)
		if err != nil {
			return stepError("spawn_"+name, err)
		}
	}
	return nil
}
