package policy

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLimitsUnderTheCallersCeiling(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, row := range []struct {
		name           string
		asked, ceiling *int64
		want           int64
		code           Code
		maximum        int64
	}{
		{"without a ceiling the profile's default holds", nil, nil, 5000, "", 0},
		{"a ceiling above the default leaves it", nil, n(6000), 5000, "", 0},
		{"a ceiling below the default lowers it", nil, n(1000), 1000, "", 0},
		{"up to the ceiling may be asked for", n(6000), n(6000), 6000, "", 0},
		{"one more may not", n(6001), n(6000), 0, CodeTooLarge, 6000},
		{"a ceiling above the profile's maximum gives no more than that", n(30001), n(99999), 0, CodeTooLarge, 30000},
		{"the profile's maximum itself is within such a ceiling", n(30000), n(99999), 30000, "", 0},
		{"under a ceiling below the minimum nothing runs", nil, n(0), 0, CodeForbidden, 0},
		{"a negative ceiling lets nothing run", n(1), n(-1), 0, CodeForbidden, -1},
	} {
		t.Run(row.name, func(t *testing.T) {
			spec, err := Resolve(Request{Code: "x", Limits: LimitsRequest{TimeoutMS: row.asked}, CeilingLimits: LimitsRequest{TimeoutMS: row.ceiling}}, python)
			if row.code == "" {
				require.NoError(t, err)
				assert.Equal(t, row.want, spec.Limits.TimeoutMS)
				return
			}
			var e *Error
			require.True(t, errors.As(err, &e))
			assert.Equal(t, row.code, e.Code)
			assert.Equal(t, "limits.timeout_ms", e.Field)
			require.NotNil(t, e.Maximum)
			assert.Equal(t, row.maximum, *e.Maximum)
			if row.code == CodeTooLarge {
				assert.Equal(t, fmt.Sprint(*row.asked), string(e.Value))
			}
		})
	}
}

// Whatever is asked for under whatever ceilings, no limit is above either, and
// what is shown to a caller is what he gets.
func FuzzCeilingLimits(f *testing.F) {
	f.Add(int64(5000), int64(1000), int64(256), int64(64), int64(1), int64(1), int64(1), int64(1), uint8(0xff))
	f.Add(int64(1), int64(30000), int64(32), int64(1024), int64(9), int64(9), int64(65536), int64(8192), uint8(0x0f))
	f.Add(int64(-1), int64(-1), int64(0), int64(0), int64(1), int64(2), int64(3), int64(4), uint8(0xaa))
	f.Fuzz(func(t *testing.T, t1, t2, m1, m2, o1, o2, e1, e2 int64, given uint8) {
		some := func(v *int64, bit int) *int64 {
			if given>>bit&1 == 0 {
				return nil
			}
			return v
		}
		req := Request{
			Code:          "x",
			Limits:        LimitsRequest{TimeoutMS: some(&t1, 0), MaxMemoryMB: some(&m1, 1), MaxStdoutBytes: some(&o1, 2), MaxStderrBytes: some(&e1, 3)},
			CeilingLimits: LimitsRequest{TimeoutMS: some(&t2, 4), MaxMemoryMB: some(&m2, 5), MaxStdoutBytes: some(&o2, 6), MaxStderrBytes: some(&e2, 7)},
		}
		spec, err := Resolve(req, python)
		if err != nil {
			var e *Error
			require.True(t, errors.As(err, &e))
			require.NotEmpty(t, e.Field)
			return
		}
		shown := python.Requestable.Below(req.CeilingLimits)
		for _, l := range []struct {
			got            int64
			profile, shown LimitRange
			asked, ceiling *int64
		}{
			{spec.Limits.TimeoutMS, python.Requestable.TimeoutMS, shown.TimeoutMS, req.Limits.TimeoutMS, req.CeilingLimits.TimeoutMS},
			{spec.Limits.MaxMemoryMB, python.Requestable.MaxMemoryMB, shown.MaxMemoryMB, req.Limits.MaxMemoryMB, req.CeilingLimits.MaxMemoryMB},
			{spec.Limits.MaxStdoutBytes, python.Requestable.MaxStdoutBytes, shown.MaxStdoutBytes, req.Limits.MaxStdoutBytes, req.CeilingLimits.MaxStdoutBytes},
			{spec.Limits.MaxStderrBytes, python.Requestable.MaxStderrBytes, shown.MaxStderrBytes, req.Limits.MaxStderrBytes, req.CeilingLimits.MaxStderrBytes},
		} {
			require.LessOrEqual(t, l.got, l.profile.Max)
			require.GreaterOrEqual(t, l.got, l.profile.Min)
			require.LessOrEqual(t, l.got, l.shown.Max)
			if l.ceiling != nil {
				require.LessOrEqual(t, l.got, *l.ceiling)
			}
			if l.asked != nil {
				require.Equal(t, *l.asked, l.got)
			} else {
				require.Equal(t, l.shown.Default, l.got)
			}
		}
	})
}
