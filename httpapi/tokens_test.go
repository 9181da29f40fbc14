package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"safe-exec/policy"
)

func TestFilesOfTokens(t *testing.T) {
	plain := strings.Repeat("k", 32)
	sum := sha256.Sum256([]byte(plain))
	digest := hex.EncodeToString(sum[:])
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "n%d %032d\n", i, i)
		}
		return b.String()
	}
	for _, row := range []struct {
		name, text string
		want       []string // names
		err        string
	}{
		{"nothing is no token", "", nil, ""},
		{"comments and empty lines say nothing", "# a b\n\n  \t\n", nil, ""},
		{"a token", "ci " + plain, []string{"ci"}, ""},
		{"a hash", "ci sha256:" + digest + "\n", []string{"ci"}, ""},
		{"a hash in capitals", "ci sha256:" + strings.ToUpper(digest), []string{"ci"}, ""},
		{"lines that end as on another system", "a " + plain + "\r\nb " + plain + "2\r\n", []string{"a", "b"}, ""},
		{"tabs and many spaces", "\tci \t " + plain + "  ", []string{"ci"}, ""},
		{"as many as may be", many(maxTokens), nil, ""},
		{"one more", many(maxTokens + 1), nil, "line 1025: more than 1024 tokens"},
		{"a name alone", "a " + plain + "\nci\n", nil, "line 2: want two words"},
		{"three words", "ci " + plain + " secretword", nil, "line 1: want two words"},
		{"a token that is too short", "ci " + plain[1:], nil, "line 1: a token must be 32 to 512 printable ASCII characters"},
		{"a token that is too long", "ci " + strings.Repeat("k", 513), nil, "line 1: a token must be"},
		{"a token of other letters", "ci " + strings.Repeat("é", 32), nil, "line 1: a token must be"},
		{"a token with a control character", "ci " + plain + "\x00", nil, "line 1: a token must be"},
		{"a hash that is too short", "ci sha256:" + digest[2:], nil, "line 1: behind sha256: must stand 64 hexadecimal digits"},
		{"a hash of other letters", "ci sha256:" + strings.Repeat("zz", 32), nil, "line 1: behind sha256:"},
		{"a name twice", "ci " + plain + "\nci " + plain + "2", nil, "line 2: line 1 has that name already"},
		{"a token twice", "a " + plain + "\n\nb " + plain, nil, "line 3: line 1 has that token already"},
		{"a token and its hash", "a " + plain + "\nb sha256:" + digest, nil, "line 2: line 1 has that token already"},
		{"a name with a slash", "a/b " + plain, nil, "line 1: the name must be"},
		{"a name that is too long", strings.Repeat("n", 65) + " " + plain, nil, "line 1: the name must be"},
		{"a token without a name, which is a name then", plain + "\n", nil, "line 1: want two words"},
	} {
		t.Run(row.name, func(t *testing.T) {
			all, err := ParseTokens([]byte(row.text))
			if row.err != "" {
				require.ErrorContains(t, err, row.err)
				for _, secret := range []string{plain[1:], digest[2:], "secretword", "é"} {
					assert.NotContains(t, err.Error(), secret)
				}
				return
			}
			require.NoError(t, err)
			if row.want == nil {
				return
			}
			var names []string
			for _, one := range all {
				names = append(names, one.Name)
			}
			assert.Equal(t, row.want, names)
			if name, ok := all.find(plain); assert.True(t, ok) {
				assert.Equal(t, row.want[0], name)
			}
		})
	}
}

func TestNewTokensAreFoundByTheirLines(t *testing.T) {
	one, a := NewToken("a")
	two, b := NewToken("b")
	assert.NotEqual(t, one, two)
	all, err := ParseTokens([]byte(a.Line() + "\n" + b.Line()))
	require.NoError(t, err)
	for _, row := range []struct{ name, sent, want string }{
		{"the first", one, "a"}, {"the last", two, "b"},
		{"nothing", "", ""}, {"a part", one[:len(one)-1], ""}, {"more", one + "x", ""},
		{"a hash in place of the token", strings.TrimPrefix(a.Line(), "a sha256:"), ""}, {"a name", "a", ""},
	} {
		got, ok := all.find(row.sent)
		assert.Equal(t, row.want, got, row.name)
		assert.Equal(t, row.want != "", ok, row.name)
	}
}

// Whatever a file holds, what is taken of it names each token once, and an error
// shows no long word of it.
func FuzzTokens(f *testing.F) {
	secret, token := NewToken("ci")
	for _, seed := range []string{"", "# c\n", token.Line(), "ci " + secret + "\n", "a b c", "ci sha256:00", "\r\n\x00", "a " + secret + "\nb " + secret} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ParseTokens([]byte(text))
		if err != nil {
			for word := range strings.FieldsSeq(text) {
				if len(word) >= minTokenBytes {
					require.NotContains(t, err.Error(), word)
				}
			}
			return
		}
		names, hashes := map[string]bool{}, map[[32]byte]bool{}
		var lines []string
		for _, one := range all {
			require.True(t, policy.ValidTokenName(one.Name))
			require.False(t, names[one.Name] || hashes[one.Hash])
			names[one.Name], hashes[one.Hash] = true, true
			lines = append(lines, one.Line())
		}
		again, err := ParseTokens([]byte(strings.Join(lines, "\n")))
		require.NoError(t, err)
		require.Equal(t, all, again)
	})
}
