package wire

import (
	"encoding/binary"
	"io"
	"maps"
	"slices"
	"strings"
)

// Kind is the first byte of a frame on the job socket.
type Kind byte

const (
	Ready       Kind = 'R'
	Kept        Kind = 'K'
	Blocked     Kind = 'B'
	JobFrame    Kind = 'J'
	Accepted    Kind = 'A'
	Violations  Kind = 'V'
	SyntaxError Kind = 'S'
	Checked     Kind = 'C'
	Failed      Kind = 'F'
)

// MaxReply bounds what the harness may send, in bytes: it parses the user's
// text, and a crafted text must not make the daemon hold much.
const MaxReply = 1 << 20

const headerSize = 5

// WriteFrame writes one frame in a single write.
func WriteFrame(w io.Writer, kind Kind, payload []byte) error {
	buf := make([]byte, 0, headerSize+len(payload))
	buf = append(buf, byte(kind))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(payload)))
	_, err := w.Write(append(buf, payload...))
	return err
}

// ReadFrame reads one frame of at most limit payload bytes. A stream that ends
// inside a frame is io.ErrUnexpectedEOF, between frames io.EOF.
func ReadFrame(r io.Reader, limit uint32) (Kind, []byte, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(header[1:])
	if n > limit {
		return 0, nil, ErrMalformed
	}
	payload := make([]byte, n)
	if _, err := io.ReadFull(r, payload); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	return Kind(header[0]), payload, nil
}

// Job is what the harness gets: the program and the import policy.
type Job struct {
	CheckOnly      bool // parse and check, run nothing, answer Checked
	Unrestricted   bool
	Imports        []string
	BlockedImports []string
	BlockedNames   []string
	ConstantNames  []string
	Code           string
	Stdin          string            // what descriptor 0 gives; empty leaves it as it is
	Args           []string          // behind the program's name
	Env            map[string]string // beside the jail's own
	Files          []File            // in the working directory
}

// File is one file that the program finds: a path below the working directory,
// and any bytes.
type File struct {
	Path    string
	Content []byte
}

// Encode gives the payload of a JobFrame.
func (j Job) Encode() []byte {
	var e Encoder
	e.String("3")
	e.String(either(j.CheckOnly, "check", "run"))
	e.String(either(j.Unrestricted, "unrestricted", "restricted"))
	e.String(strings.Join(j.Imports, "\n"))
	e.String(strings.Join(j.BlockedImports, "\n"))
	e.String(strings.Join(j.BlockedNames, "\n"))
	e.String(strings.Join(j.ConstantNames, "\n"))
	e.String(j.Code)
	j.encodeInput(&e)
	return e.Bytes()
}

// encodeInput adds nothing for a program that gets nothing: most get nothing.
func (j Job) encodeInput(e *Encoder) {
	if j.Stdin != "" {
		e.input("stdin", "", j.Stdin)
	}
	for _, arg := range j.Args {
		e.input("arg", "", arg)
	}
	for _, name := range slices.Sorted(maps.Keys(j.Env)) {
		e.input("env", name, j.Env[name])
	}
	for _, file := range j.Files {
		e.input("file", file.Path, string(file.Content))
	}
}

func (e *Encoder) input(kind, name, content string) {
	e.String(kind)
	e.String(name)
	e.String(content)
}

func either(which bool, yes, no string) string {
	if which {
		return yes
	}
	return no
}

// Violation is one record of a Violations frame.
type Violation struct {
	Line, Column        uint32
	Rule, Name, Message string
}

// MaxViolations bounds how many are reported; the rest is dropped.
const MaxViolations = 100

// DecodeViolations reads the payload of a Violations frame: at least one.
func DecodeViolations(payload []byte) ([]Violation, error) {
	d := NewDecoder(payload)
	var list []Violation
	for d.More() {
		v := Violation{
			Line: d.Number(), Column: d.Number(),
			Rule: d.String(), Name: d.String(), Message: d.String(),
		}
		if len(list) < MaxViolations {
			list = append(list, v)
		}
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, ErrMalformed
	}
	return list, nil
}

// DecodeSyntaxError reads the payload of a SyntaxError frame.
func DecodeSyntaxError(payload []byte) (line, column uint32, message string, err error) {
	d := NewDecoder(payload)
	line, column, message = d.Number(), d.Number(), d.String()
	return line, column, message, d.Err()
}

// MaxImports bounds how many modules of a checked program are reported, and
// MaxImportBytes the length of each; the rest is counted and not listed.
const (
	MaxImports     = 1000
	MaxImportBytes = 500
)

// DecodeImports reads the payload of a Checked frame: how many modules the program
// imports, maybe none, and those that are listed.
func DecodeImports(payload []byte) (count int, list []string, err error) {
	d := NewDecoder(payload)
	list = []string{}
	count = int(d.Number())
	for d.More() {
		if name := d.String(); len(list) < MaxImports && len(name) <= MaxImportBytes {
			list = append(list, name)
		}
	}
	if d.Err() == nil && count < len(list) {
		return 0, nil, ErrMalformed
	}
	return count, list, d.Err()
}
