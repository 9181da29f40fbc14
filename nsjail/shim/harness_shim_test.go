package shim_test

import (
	"bytes"
	"debug/elf"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/nsjail/shim"
)

// What the two bindings do is tested with real interpreters in package
// profiles; here, that they can go into any image and are built hard.
func TestBindingsNeedOnlyTheCLibrary(t *testing.T) {
	rows := []struct {
		name   string
		binary []byte
		entry  string
	}{
		{"python", shim.Python(), "PyInit__safe_exec"},
		{"node", shim.Node(), "napi_register_module_v1"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			file, err := elf.NewFile(bytes.NewReader(row.binary))
			require.NoError(t, err)
			needed, err := file.ImportedLibraries()
			require.NoError(t, err)
			assert.Equal(t, []string{"libc.so.6"}, needed)

			var exported []string
			symbols, err := file.DynamicSymbols()
			require.NoError(t, err)
			for _, s := range symbols {
				if s.Section != elf.SHN_UNDEF {
					exported = append(exported, s.Name)
				}
			}
			assert.Equal(t, []string{row.entry}, exported)

			_, err = file.Symbols()
			assert.ErrorIs(t, err, elf.ErrNoSymbols, "not stripped")
			flags, err := file.DynValue(elf.DT_FLAGS)
			require.NoError(t, err)
			assert.Equal(t, []uint64{uint64(elf.DF_BIND_NOW)}, flags)
			for _, p := range file.Progs {
				assert.NotEqual(t, elf.PF_W|elf.PF_X, p.Flags&(elf.PF_W|elf.PF_X), "%v is writable and executable", p.Type)
			}
		})
	}
}
