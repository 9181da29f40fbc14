package observe

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"log/slog"
	"maps"
	"slices"

	"safe-exec/policy"
)

// Program is all that may be known of a request outside the jail that runs it.
type Program struct {
	Language   string // the language's one name; empty where there is none such
	CodeSHA256 string // hexadecimal
	CodeBytes  int
	// InputSHA256 is over stdin, arguments, environment and files: see inputDigest.
	InputSHA256 string
	InputBytes  int
	StartAsked  bool // the caller chose how to start
}

// ProgramOf names a request's program.
func ProgramOf(req policy.Request) Program {
	language, _ := policy.ParseLanguage(req.Language)
	code := sha256.Sum256([]byte(req.Code))
	inputs, size := inputDigest(req.Input)
	return Program{
		Language: string(language), CodeSHA256: hex.EncodeToString(code[:]), CodeBytes: len(req.Code),
		InputSHA256: inputs, InputBytes: size, StartAsked: req.StartMode != "",
	}
}

// Attrs names the program in a log.
func (p Program) Attrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("language", p.Language), slog.String("code_sha256", p.CodeSHA256), slog.Int("code_bytes", p.CodeBytes)}
	if p.InputBytes > 0 {
		attrs = append(attrs, slog.String("input_sha256", p.InputSHA256), slog.Int("input_bytes", p.InputBytes))
	}
	return attrs
}

// inputDigest is SHA-256 over stdin, the number of arguments and each of them, the
// number of variables and each name and value in the order of the names, the number
// of files and each path and content in the order given. A number is eight bytes,
// big-endian, and so is the length in front of each text: no two inputs are written
// alike. size counts the bytes of the texts.
func inputDigest(in policy.Input) (digest string, size int) {
	d := lengthPrefixed{Hash: sha256.New()}
	d.text(in.Stdin)
	d.number(len(in.Args))
	for _, arg := range in.Args {
		d.text(arg)
	}
	d.number(len(in.Env))
	for _, name := range slices.Sorted(maps.Keys(in.Env)) {
		d.text(name)
		d.text(in.Env[name])
	}
	d.number(len(in.Files))
	for _, f := range in.Files {
		d.text(f.Path)
		d.text(string(f.Content))
	}
	return hex.EncodeToString(d.Sum(nil)), d.size
}

type lengthPrefixed struct {
	hash.Hash
	size int
}

func (d *lengthPrefixed) number(n int) {
	d.Write(binary.BigEndian.AppendUint64(nil, uint64(n)))
}

func (d *lengthPrefixed) text(s string) {
	d.number(len(s))
	d.Write([]byte(s))
	d.size += len(s)
}

// Digests say under which rules a program runs: of all that the runtime is (the
// profile with its levels, the interpreter's version, both filters), and of the
// policy level alone. Each is SHA-256 over the JSON encoding, hexadecimal. An
// unknown level has no digest.
func Digests(r policy.Runtime, level string) (profile, policyLevel string, err error) {
	if profile, err = digestOf(r); err != nil {
		return "", "", err
	}
	if l, ok := r.Profile.Levels[level]; ok {
		policyLevel, err = digestOf(l)
	}
	return profile, policyLevel, err
}

func digestOf(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("digest: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
