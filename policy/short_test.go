package policy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestShortSaysNoEmptyUnits(t *testing.T) {
	for text, d := range map[string]time.Duration{
		"24h": 24 * time.Hour, "1h30m": 90 * time.Minute, "1h0m5s": time.Hour + 5*time.Second, "10m": 10 * time.Minute,
		"1m30s": 90 * time.Second, "1m0.5s": 60500 * time.Millisecond, "10s": 10 * time.Second, "500ms": 500 * time.Millisecond, "0s": 0, "-1m": -time.Minute,
	} {
		assert.Equal(t, text, Short(d))
		back, err := time.ParseDuration(text)
		assert.NoError(t, err)
		assert.Equal(t, d, back, "it reads back as what it was")
	}
}
