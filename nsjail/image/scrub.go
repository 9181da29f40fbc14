package image

import (
	"bytes"
	"path/filepath"
	"strings"
)

// home is where every prefix goes.
const home = "/usr"

// oddPrefix tells whether a prefix says something about this host: everything
// that is not below /usr, where packages live on all of them.
func oddPrefix(prefix string) bool {
	return prefix != "/" && prefix != home && !strings.HasPrefix(prefix, home+"/")
}

// oddPrefixes gives the odd ones among a prefix and what it resolves to.
func oddPrefixes(prefix string) []string {
	var odd []string
	if oddPrefix(prefix) {
		odd = append(odd, prefix)
	}
	if real, err := filepath.EvalSymlinks(prefix); err == nil && real != prefix && oddPrefix(real) {
		odd = append(odd, real)
	}
	return odd
}

// scrub replaces host prefixes by /usr. In a binary the length has to stay, so
// the rest is filled with slashes, which mean nothing in a path: a DT_RUNPATH
// of /opt/python/lib becomes /usr////////lib. A prefix shorter than /usr stays
// as it is there.
func scrub(b []byte, prefixes []string, binary bool) []byte {
	for _, prefix := range prefixes {
		to := []byte(home)
		if binary {
			if len(prefix) < len(home) {
				continue
			}
			to = append(to, bytes.Repeat([]byte("/"), len(prefix)-len(home))...)
		}
		b = replacePath(b, []byte(prefix), to)
	}
	return b
}

// replacePath replaces a path where it stands alone or begins a longer one, not
// where it is a part of other words.
func replacePath(b, path, to []byte) []byte {
	var out []byte
	done := 0
	for at := 0; ; {
		i := bytes.Index(b[at:], path)
		if i < 0 {
			break
		}
		i += at
		at = i + len(path)
		if (i > 0 && inName(b[i-1])) || (at < len(b) && inName(b[at])) {
			continue
		}
		out = append(append(out, b[done:i]...), to...)
		done = at
	}
	if done == 0 {
		return b
	}
	return append(out, b[done:]...)
}

func inName(c byte) bool {
	return c == '_' || c == '-' || c == '.' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
