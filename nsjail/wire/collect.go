package wire

import "encoding/binary"

// CollectKind is the first number of a packet about the files that a program left.
// None is that of an event.
//
//	daemon                                init
//	        ----- List ----------------->
//	        <---- File or Skipped, for each entry
//	        <---- End -------------------
//	        ----- Read{most, path} ----->
//	        <---- Data, repeated --------
//	        <---- End{size} -------------
//
// A Read of no bytes looks for a file by its name: the list has an end.
type CollectKind uint32

const (
	CollectList    CollectKind = 16
	CollectRead    CollectKind = 17
	CollectFile    CollectKind = 18 // a regular file with one name
	CollectSkipped CollectKind = 19 // an entry that is none, nor a directory that was gone into
	CollectData    CollectKind = 20
	CollectEnd     CollectKind = 21
)

// Why says why an entry is not for the daemon.
type Why uint32

const (
	WhyNot        Why = iota // it is
	WhySymlink               // symbolic link
	WhyHardLink              // more than one name
	WhySpecial               // FIFO, socket, device
	WhyUnreadable            // its mode keeps others out
	WhyTooDeep               // a directory whose files would have paths of more than MaxCollectDepth names
	WhyClosed                // a directory whose mode keeps others out
	WhyFailed                // the kernel refused it otherwise
	WhyAbsent                // nothing has that name
)

// Bounds of the init: how many names the path of a file may have, its own among them,
// and at how many entries it looks. What is read by its name is not counted.
const (
	MaxCollectDepth   = 8
	MaxCollectEntries = 1000
)

// maxCollectPath is MaxCollectDepth names of 255 bytes with what is between them.
const maxCollectPath = MaxCollectDepth*256 - 1

// maxCollectData bounds the bytes of a file in one packet.
const maxCollectData = 32 << 10

// Collect is one packet. The layout is struct head in collect.c: three numbers, and
// then the path or the bytes.
type Collect struct {
	Kind CollectKind
	Why  Why    // CollectSkipped; CollectEnd of a file that was not read to its end or the bound
	Size uint64 // CollectFile, CollectEnd of a file: as it says; CollectRead: bytes at most; CollectEnd of a list: 1 if it is not whole
	Rest []byte // the path, of raw bytes; CollectData: bytes of the file
}

// Encode gives the packet.
func (c Collect) Encode() []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(c.Kind))
	b = binary.LittleEndian.AppendUint32(b, uint32(c.Why))
	b = binary.LittleEndian.AppendUint64(b, c.Size)
	return append(b, c.Rest...)
}

// DecodeCollect takes an answer of the init. ErrMalformed is a packet that no
// init sends.
func DecodeCollect(b []byte) (Collect, error) {
	d := NewDecoder(b)
	c := Collect{Kind: CollectKind(d.Number()), Why: Why(d.Number()), Size: d.Number64()}
	if d.err != nil || c.Why > WhyAbsent {
		return Collect{}, ErrMalformed
	}
	c.Rest = d.buf
	least, most := 0, 0 // bytes behind the numbers
	switch c.Kind {
	case CollectFile, CollectSkipped:
		least, most = 1, maxCollectPath
	case CollectData:
		least, most = 1, maxCollectData
	case CollectEnd:
	default:
		return Collect{}, ErrMalformed
	}
	if len(c.Rest) < least || len(c.Rest) > most || (c.Kind == CollectSkipped) != (c.Why != WhyNot) && c.Kind != CollectEnd {
		return Collect{}, ErrMalformed
	}
	return c, nil
}
