package httpapi

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"safe-exec/policy"
)

// Token is a bearer token as the server knows it: by its hash alone.
type Token struct {
	Name string            // see policy.ValidTokenName
	Hash [sha256.Size]byte // of the token
}

// Tokens are those that may be used over TCP.
type Tokens []Token

// Bounds of a file of tokens.
const (
	maxTokens     = 1024
	minTokenBytes = 32
	maxTokenBytes = 512
)

const hashPrefix = "sha256:"

// ParseTokens reads lines `NAME sha256:HEX` or `NAME TOKEN`, a token of 32
// printable ASCII characters at least; empty lines and those that begin with # say
// nothing. Two of a name, or two names of a token, are an error: nobody could say
// who came. An error names the line and never what is on it.
func ParseTokens(text []byte) (Tokens, error) {
	var all Tokens
	names, hashes := map[string]int{}, map[[sha256.Size]byte]int{}
	number := 0
	for raw := range bytes.Lines(text) {
		number++
		line := strings.TrimRight(string(raw), "\r\n")
		fail := func(message string, args ...any) (Tokens, error) {
			return nil, fmt.Errorf("line %d: "+message, append([]any{number}, args...)...)
		}
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
		if len(fields) != 2 {
			return fail("want two words: a name, and sha256:HEX or a token")
		}
		name, secret := fields[0], fields[1]
		if !policy.ValidTokenName(name) {
			return fail("the name must be 1 to %d of A-Z a-z 0-9 . _ -", policy.MaxTokenName)
		}
		one := Token{Name: name}
		if digest, ok := strings.CutPrefix(secret, hashPrefix); ok {
			sum, err := hex.DecodeString(digest)
			if err != nil || len(sum) != sha256.Size {
				return fail("behind %s must stand %d hexadecimal digits", hashPrefix, 2*sha256.Size)
			}
			copy(one.Hash[:], sum)
		} else {
			if !plainToken(secret) {
				return fail("a token must be %d to %d printable ASCII characters", minTokenBytes, maxTokenBytes)
			}
			one.Hash = sha256.Sum256([]byte(secret))
		}
		if before, ok := names[name]; ok {
			return fail("line %d has that name already", before)
		}
		if before, ok := hashes[one.Hash]; ok {
			return fail("line %d has that token already", before)
		}
		names[name], hashes[one.Hash] = number, number
		if all = append(all, one); len(all) > maxTokens {
			return fail("more than %d tokens", maxTokens)
		}
	}
	return all, nil
}

func plainToken(secret string) bool {
	if len(secret) < minTokenBytes || len(secret) > maxTokenBytes {
		return false
	}
	for _, c := range []byte(secret) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}

// NewToken makes a token of 256 random bits.
func NewToken(name string) (secret string, t Token) {
	var bits [32]byte
	rand.Read(bits[:]) // it ends the process where there is no randomness
	secret = "se_" + base64.RawURLEncoding.EncodeToString(bits[:])
	return secret, Token{Name: name, Hash: sha256.Sum256([]byte(secret))}
}

// Line is the token's line in a file of tokens.
func (t Token) Line() string { return t.Name + " " + hashPrefix + hex.EncodeToString(t.Hash[:]) }

// find gives the name of the token that was sent. It hashes what came and looks
// at every entry whichever fits: how long it takes tells nothing of either.
func (all Tokens) find(secret string) (name string, ok bool) {
	sum := sha256.Sum256([]byte(secret))
	found := -1
	for i := range all {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(all[i].Hash[:], sum[:]), i, found)
	}
	if found < 0 {
		return "", false
	}
	return all[found].Name, true
}

// Has says whether there is a token of that name.
func (all Tokens) Has(name string) bool {
	return slices.ContainsFunc(all, func(t Token) bool { return t.Name == name })
}
