package nsjail

import (
	"fmt"

	"safe-exec/nsjail/wire"
	"safe-exec/policy"
)

// awaitReady takes the steady filter's listener out of the payload. While the
// payload holds it, it could answer its own calls; prove sees it closed.
func (j *jail) awaitReady() error {
	payload, err := j.expect(wire.Ready)
	if err != nil {
		return err
	}
	d := wire.NewDecoder(payload)
	number := d.Number()
	if err := d.Err(); err != nil {
		return err
	}
	listener, err := j.payload.take(int(number))
	if err != nil {
		return err
	}
	if err := j.watchDenials(listener); err != nil {
		return err
	}
	if err := wire.WriteFrame(j.job, wire.Kept, j.promise()); err != nil {
		return err
	}
	_, err = j.expect(wire.Blocked)
	return err
}

// promise tells the harness of a spare which level its job will be of, so that it
// can make ready for it; one whose job comes at once is told nothing, and one
// that was forked is ready.
func (j *jail) promise() []byte {
	if j.mode != policy.StartWarm {
		return nil
	}
	return jobOf(j.spec).Encode()
}

func (j *jail) expect(want wire.Kind) ([]byte, error) {
	kind, payload, err := wire.ReadFrame(j.job, wire.MaxReply)
	switch {
	case err != nil:
		return nil, err
	case kind == wire.Failed:
		return nil, harnessFailed(payload)
	case kind != want:
		return nil, fmt.Errorf("harness sent %q instead of %q", kind, want)
	}
	return payload, nil
}

func harnessFailed(payload []byte) error {
	return fmt.Errorf("harness: %q", wire.NewDecoder(payload).String())
}
