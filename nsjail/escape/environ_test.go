package escape

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTellingVariable(t *testing.T) {
	for _, row := range []struct {
		name, environ string
		want          Variable
	}{
		{"the most particular one counts", "PATH=/usr/sbin:/usr/bin\x00INVOCATION_ID=0123abcd\x00", Variable{"INVOCATION_ID", "0123abcd"}},
		{"a battery's own canary before all", "INVOCATION_ID=0123abcd\x00SAFE_EXEC_CANARY=canary-X\x00", Variable{EnvironCanary, "canary-X"}},
		{"a secret is not shown in reports", "API_KEY=hunter2\x00PATH=/usr/sbin\x00", Variable{"PATH", "/usr/sbin"}},
		{"a PATH that jails have too tells nothing", "PATH=/usr/bin\x00", Variable{}},
		{"a value that would end a string is none", "INVOCATION_ID=x'+1+'\x00PWD=/srv\x00", Variable{"PWD", "/srv"}},
		{"a name that only ends so is another", "MY_PWD=/srv\x00", Variable{}},
		{"no environment at all", "", Variable{}},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, Telling(row.environ)) })
	}
}

func TestWithoutAVariableTheProbesOfItAreNotAsked(t *testing.T) {
	p := Probe{Name: "c2_x", source: "@ENVIRON_NAME@"}
	with := &Targets{Environ: Variable{"A", "b"}}
	assert.Empty(t, with.lacking(p))
	assert.Equal(t, "A", with.fill(p.source))
	assert.NotEmpty(t, (&Targets{}).lacking(p))
	assert.Empty(t, (&Targets{}).lacking(Probe{source: "@CANARY@"}))

	b := &Battery{Targets: &Targets{}, Levels: []string{"strict", "relaxed"}}
	rows, levels := b.askable(p)
	assert.Empty(t, levels)
	assert.Equal(t, []Verdict{NotAsked, NotAsked}, []Verdict{rows[0].Verdict, rows[1].Verdict})
}
