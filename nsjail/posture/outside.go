package posture

import (
	"fmt"
	"maps"
)

// Outside is what a privileged process can change in another that does not run:
// a process that has not run since it was looked at, and for which this is as it was,
// is as it was in all. The zero value is equal to that of no process.
type Outside struct {
	threads                          map[string]Thread
	mounts, cgroup, limits, oomScore string // files of /proc/<pid>, as they are
}

// ReadOutside costs a third of Read, whose words on pid and errors hold here too.
func ReadOutside(pid int) (Outside, error) {
	d, err := openProc(pid)
	if err != nil {
		return Outside{}, fmt.Errorf("posture: %w", err)
	}
	defer d.close()
	o, err := d.outside()
	if err != nil {
		return Outside{}, fmt.Errorf("posture: %w", err)
	}
	return o, nil
}

// Equal says that nothing has changed.
func (o Outside) Equal(p Outside) bool {
	return maps.Equal(o.threads, p.threads) &&
		o.mounts == p.mounts && o.cgroup == p.cgroup && o.limits == p.limits && o.oomScore == p.oomScore
}

func (p *proc) outside() (o Outside, err error) {
	if o.threads, err = p.threads(); err != nil {
		return Outside{}, err
	}
	for name, text := range map[string]*string{
		"mountinfo": &o.mounts, "cgroup": &o.cgroup, "limits": &o.limits, "oom_score_adj": &o.oomScore,
	} {
		if *text, err = p.file(name); err != nil {
			return Outside{}, err
		}
	}
	return o, nil
}
