package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// MaxLine bounds a line, its newline included, in bytes. The bounds of what a
// record takes over keep each below it.
const MaxLine = 256 << 10

// The hash is the last member, so that what it is over is the line up to it.
const (
	hashKey  = `,"hash":"`
	hashTail = len(hashKey) + 2*sha256.Size + len(`"}`)
)

// origin is what the first record holds as the hash of the one before.
var origin = strings.Repeat("0", 2*sha256.Size)

// seal writes the record as a line, with its newline, and sets its hash.
func seal(r *Record) ([]byte, error) {
	r.Hash = ""
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("ledger: encode: %w", err)
	}
	body := text[:len(text)-len(hashKey)-len(`"}`)]
	r.Hash = hashOf(body)
	line := append(bytes.Clone(body), (hashKey + r.Hash + "\"}\n")...)
	if len(line) > MaxLine {
		return nil, fmt.Errorf("ledger: a record of %d bytes, more than %d", len(line), MaxLine)
	}
	return line, nil
}

// unseal reads a line without its newline. The bytes must be those that seal
// writes: JSON has many ways to say the same, and the chain one.
func unseal(line []byte) (Record, error) {
	var r Record
	if len(line) < hashTail || len(line) >= MaxLine {
		return r, errMalformed
	}
	body, tail := line[:len(line)-hashTail], line[len(line)-hashTail:]
	if want := hashKey + hashOf(body) + `"}`; string(tail) != want {
		return r, errHash
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil || d.More() {
		return Record{}, errMalformed
	}
	again := r
	if text, err := seal(&again); err != nil || !bytes.Equal(text[:len(text)-1], line) {
		return Record{}, errMalformed
	}
	return r, nil
}

var (
	errMalformed = errors.New("it is no record")
	errHash      = errors.New("its hash is not that of its text")
)

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
