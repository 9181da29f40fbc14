package link

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"safe-exec/policy"
)

// Version is that of the protocol. Both ends are one program, so that another
// one is a mistake in what was started.
const Version = 1

const headerSize = 5

// kind says what a frame is.
type kind byte

// Frames of the broker.
const (
	kindReport   kind = 'h' // version, report
	kindReady    kind = 'y'
	kindExecute  kind = 'x' // id, watch, request
	kindCheck    kind = 'k' // id, request
	kindResolve  kind = 'r' // id, request
	kindDescribe kind = 'd' // id
	kindCancel   kind = 'c' // id
)

// Frames of the executor.
const (
	kindHello       kind = 'H' // version, filter
	kindConfig      kind = 'G' // JSON
	kindDrain       kind = 'Q'
	kindEvent       kind = 'V' // id, event
	kindResult      kind = 'R' // id, result
	kindChecked     kind = 'K' // id, JSON
	kindResolved    kind = 'O' // id
	kindDescription kind = 'D' // id, JSON
	kindError       kind = 'E' // id, JSON
)

// Bounds of payloads in bytes.
const (
	// maxRequest has room for the program's text, what it gets beside it, and a
	// mebibyte of names.
	maxRequest = policy.MaxCodeBytes + 2<<20 + 1<<20
	maxReport  = 16 << 10
	maxID      = 8
	maxHello   = 64 << 10 // a filter has 4096 instructions of 8 bytes at most
	maxConfig  = 8 << 20
	maxEvent   = 1 << 20
	maxResult  = 64 << 20
	maxJSON    = 16 << 20
	maxError   = 256 << 10
)

var fromBroker = map[kind]uint32{
	kindReport: maxReport, kindReady: 0, kindExecute: maxRequest, kindCheck: maxRequest, kindResolve: maxRequest,
	kindDescribe: maxID, kindCancel: maxID,
}

var fromExecutor = map[kind]uint32{
	kindHello: maxHello, kindConfig: maxConfig, kindDrain: 0, kindEvent: maxEvent, kindResult: maxResult,
	kindChecked: maxJSON, kindResolved: maxID, kindDescription: maxJSON, kindError: maxError,
}

// Errors of the other side's frames, which end a connection.
var (
	ErrKind    = errors.New("link: a frame of an unknown kind")
	ErrBounds  = errors.New("link: a frame above the bound of its kind")
	ErrHalf    = errors.New("link: the connection ended within a frame")
	ErrOrder   = errors.New("link: a frame out of order")
	ErrID      = errors.New("link: an id that is unknown or was used before")
	ErrVersion = errors.New("link: another version of the protocol")
)

// readFrame reads one frame of the kinds that the other side may send; the
// payload is the caller's own. io.EOF is an end between two frames.
func readFrame(r io.Reader, bounds map[kind]uint32) (kind, []byte, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = ErrHalf
		}
		return 0, nil, err
	}
	k, n := kind(header[0]), binary.LittleEndian.Uint32(header[1:])
	most, known := bounds[k]
	switch {
	case !known:
		return 0, nil, fmt.Errorf("%w: %#x", ErrKind, header[0])
	case n > most:
		return 0, nil, fmt.Errorf("%w: kind %q, %d bytes, at most %d", ErrBounds, rune(k), n, most)
	}
	payload, err := readPayload(r, int(n))
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = ErrHalf
	}
	return k, payload, err
}

// firstPiece is how much memory an announced length gets before a byte of it
// came.
const firstPiece = 64 << 10

func readPayload(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, min(n, firstPiece))
	_, err := io.ReadFull(r, b)
	for err == nil && len(b) < n {
		have := len(b)
		b = append(b, make([]byte, min(n-have, have))...)
		_, err = io.ReadFull(r, b[have:])
	}
	return b, err
}

// setID fills in the id at the head of a frame's payload.
func setID(frame []byte, id uint64) { binary.LittleEndian.PutUint64(frame[headerSize:], id) }
