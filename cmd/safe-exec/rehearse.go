package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"safe-exec/cgroup"
	"safe-exec/nsjail"
	"safe-exec/nsjail/host"
	"safe-exec/nsjail/lease"
	"safe-exec/policy"
)

// doctorPrefix is the beginning of the names of directories in which doctor tries
// things. A dead one's are removed by the next doctor, and by serve.
const doctorPrefix = ".safe-exec-doctor-"

// doctorPlace is where they are. Not in $TMPDIR, where a broker may not be let
// through; and where a daemon may write that may not write elsewhere (ProtectSystem=
// of systemd.exec(5)), since it is to remove them.
var doctorPlace = filepath.Dir(lease.Dir)

// elsewhere is the same configuration with a state directory that is done away with
// at the end.
func (c config) elsewhere() (moved config, end func(), err error) {
	if err := makeEntrance(doctorPlace); err != nil {
		return c, nil, err
	}
	dir, lock, err := lease.Scratch(doctorPlace, doctorPrefix)
	if err != nil {
		return c, nil, err
	}
	c.StateDir = dir
	return c, func() {
		os.RemoveAll(dir)
		lock.Close()
	}, nil
}

// selfTestError is about programs that no caller wrote. Whether a limit kept one from
// ending as it should or the host, it does not tell: with too few descriptors no jail
// is made, with too little memory no interpreter starts.
type selfTestError struct{ error }

func (e *selfTestError) Unwrap() error { return e.error }

// selfTestRemedy is for both who run it.
const selfTestRemedy = "raise the limits of that profile in the configuration if they are lower than the built-in ones, or else mend what it says"

func selfTest(ctx context.Context, r *nsjail.Runner) error {
	if err := r.SelfTest(ctx); err != nil {
		return &selfTestError{err}
	}
	return nil
}

// findSelfTest runs what serve runs before it serves, unless something is known to
// keep it from that.
func (c config) findSelfTest(all map[string]policy.Profile, missing bool) host.Finding {
	f := host.Finding{Layer: "self-test", UsedFor: "one program in each profile, within its limits, before serve serves"}
	report, err := cgroup.Probe(cgroup.Options{EnableControllers: c.EnableControllers})
	switch {
	case missing || err != nil:
		f.Detail, f.Remedy = "not tried, since serve would not come so far", "mend the other rows first"
		return f
	case len(report.Enables) > 0:
		f.OK, f.Detail = true, "not tried: that would change the cgroup that this process is in; serve does before it serves"
		return f
	}
	switch err := c.trySelfTest(all); {
	case err == nil:
		f.OK, f.Detail = true, fmt.Sprintf("%d profiles ran their programs", len(all))
	case errors.As(err, new(*selfTestError)):
		f.Detail, f.Remedy = err.Error(), selfTestRemedy
	default:
		f.Detail, f.Remedy = err.Error(), "mend what it says: serve would fail in the same way"
	}
	return f
}

func (c config) trySelfTest(all map[string]policy.Profile) error {
	c, end, err := c.elsewhere()
	if err != nil {
		return err
	}
	defer end()
	ctx := context.Background() // each program, and each start, has its own limit
	r, err := c.runner(ctx, all, spares{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer r.Close()
	return selfTest(ctx, r)
}
