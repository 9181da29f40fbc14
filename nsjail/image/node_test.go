package image

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"safe-exec/policy"
)

func TestNodeInsideCan(t *testing.T) {
	img := sharedImage(t, policy.JavaScript, "")
	for name, code := range map[string]string{
		"print JSON":          "console.log(JSON.stringify({a: 1}))",
		"hash":                "if (require('crypto').createHash('sha256').update('').digest('hex').slice(0, 8) !== 'e3b0c442') throw 0",
		"hash on the pool":    "require('crypto').pbkdf2('p', 's', 10, 16, 'sha256', (e) => { if (e) throw e })",
		"make a key pair":     "require('crypto').generateKeyPairSync('ed25519')",
		"compress":            "const z = require('zlib'); if (z.gunzipSync(z.gzipSync('x')).toString() !== 'x') throw 0; z.brotliCompressSync('x')",
		"write files in /tmp": "const f = require('fs'); f.writeFileSync('/tmp/a', 'x'); if (f.readFileSync('/tmp/a', 'utf8') !== 'x') throw 0",
		"use promises of fs":  "require('fs').promises.readdir('/').then(console.log)",
		"know the languages":  "if (new Intl.NumberFormat('de').format(1234.5) !== '1.234,5') throw 0",
		"know the time zones": "if (new Date(0).toLocaleString('en', {timeZone: 'Asia/Tokyo', hour: 'numeric'}) !== '9 AM') throw 0",
		"import modules":      "import('node:url').then(m => new m.URL('http://x/'))",
		"have fetch":          "if (typeof fetch !== 'function') throw 0",
		"open device nodes":   "if (require('fs').readSync(require('fs').openSync('/dev/urandom'), Buffer.alloc(4)) !== 4) throw 0",
		"know its own path":   "if (process.execPath !== '/usr/bin/node') throw process.execPath",
	} {
		t.Run(name, func(t *testing.T) {
			got := node(t, img, code)
			assert.Equal(t, 0, got.code, "%+v", got)
		})
	}
}

func TestScriptPathsInAProgram(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a path between NULs counts":         {"\x00/usr/share/nodejs/acorn/dist/acorn.js\x00", []string{"/usr/share/nodejs/acorn/dist/acorn.js"}},
		"one at the very start counts":       {"/a.js\x00", []string{"/a.js"}},
		"two in a row count":                 {"\x00/a.js\x00/b.js\x00", []string{"/a.js", "/b.js"}},
		"a relative name does not":           {"\x00internal/url.js\x00", nil},
		"a comment does not":                 {"\x00// see http://x/y.js\x00", nil},
		"text that ends in a name does not":  {"\x00/a b\nfoo/c.js\x00", nil},
		"a path that goes up does not":       {"\x00/usr/../etc/a.js\x00", nil},
		"a path cut off by the end does not": {"\x00/usr/a.js", nil},
		"a suffix alone does not":            {".js\x00", nil},
		"another suffix does not":            {"\x00/usr/a.json\x00", nil},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, scriptPaths([]byte(c.text))) })
	}
}

func TestNodeGuardsItsCodeWithoutProtectionKeys(t *testing.T) {
	for _, row := range []struct {
		name, options string
		want          []string
	}{
		{"V8 11", "  --wasm-memory-protection-keys (protect wasm code memory with PKU if available)\n        type: bool  default: --wasm-memory-protection-keys\n", []string{"--no-wasm-memory-protection-keys"}},
		{"V8 12", "  --memory-protection-keys (protect code memory with PKU if available)\n", []string{"--no-memory-protection-keys"}},
		{"an engine without them", "  --wasm-opt (enable wasm optimization)\n        type: bool\n", nil},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, withoutKeys([]byte(row.options))) })
	}
	img := sharedImage(t, policy.JavaScript, "")
	assert.NotEmpty(t, img.Flags, "the options of this Node are not read")
	_, err := run(t.Context(), probeTimeout, nil, img.Source, append(img.Flags, "-p", "1")...)
	assert.NoError(t, err)
}
