package child

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/wire"
)

// TestATemplateMapsTheWholeRange reads the map as the kernel would and compares
// it with what the daemon reckons, number by number.
func TestATemplateMapsTheWholeRange(t *testing.T) {
	const first, count = 1000, 16
	for _, row := range []struct {
		name  string
		own   uint32
		lines int
	}{
		{"a pair in the middle", 1006, 3},
		{"the lowest pair", 1000, 2},
		{"the highest pair", 1014, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			req := wire.Request{Template: true, InitUID: row.own, PayloadUID: row.own + 1, FirstUID: first, UIDs: count, TemplateGID: 7}
			text := idMap(req, "uid_map")
			groups := "0 7 1\n" + strings.Join(strings.SplitAfter(text, "\n")[1:], "")
			assert.Equal(t, groups, idMap(req, "gid_map"), "all but the template's own are alike")
			lines := strings.Split(strings.TrimSpace(text), "\n")
			assert.Len(t, lines, row.lines)
			inside := make(map[uint32]uint32) // by host uid
			for _, line := range lines {
				var in, out, n uint32
				_, err := fmt.Sscanf(line, "%d %d %d", &in, &out, &n)
				require.NoError(t, err)
				for i := range n {
					assert.NotContains(t, inside, out+i)
					inside[out+i] = in + i
				}
			}
			assert.Len(t, inside, count)
			assert.Equal(t, uint32(0), inside[row.own])
			assert.Equal(t, uint32(1), inside[row.own+1])
			for host := uint32(first - 2); host < first+count+2; host++ {
				got, ok := InsideID(first, count, row.own, host)
				assert.Equal(t, host >= first && host < first+count && host != row.own && host != row.own+1, ok, host)
				if ok {
					assert.Equal(t, inside[host], got, host)
				}
			}
		})
	}
}

func TestNoTemplateHasAPairOutsideItsRange(t *testing.T) {
	for _, row := range []struct {
		name string
		req  wire.Request
	}{
		{"a pair that is not consecutive", wire.Request{InitUID: 10, PayloadUID: 12, FirstUID: 0, UIDs: 64}},
		{"one below the range", wire.Request{InitUID: 8, PayloadUID: 9, FirstUID: 10, UIDs: 64}},
		{"one across its end", wire.Request{InitUID: 19, PayloadUID: 20, FirstUID: 10, UIDs: 10}},
		{"a range of one", wire.Request{InitUID: 10, PayloadUID: 11, FirstUID: 10, UIDs: 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.req.Template = true
			assert.ErrorContains(t, mapIDs(0, row.req), "spawn_uid_map: invalid argument")
		})
	}
}
