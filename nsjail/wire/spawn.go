package wire

// # Spawner socket: daemon and spawner
//
// A SOCK_SEQPACKET pair, descriptor 3 of the spawner. The first request is
// Mounts, every later one Spawn. Each request carries the socket on which its
// one Event is answered as the first of its descriptors, so requests need no
// numbers and may overlap.

// RequestKind is the first number of a request to the spawner.
type RequestKind uint32

const (
	RequestMounts RequestKind = 1
	RequestSpawn  RequestKind = 2
)

// Request asks the spawner for one thing. Descriptors ride along in this order:
//
//	Mounts: reply, device mount, one image mount per name
//	Spawn:  reply, control, job, stdout, stderr, the memory file that the init
//	        becomes, for a template the socket on which it gets its
//	        orders, then for cgroup v2 the leaf's directory, or for v1 the
//	        tasks files of the leaf and after them as many of the spawner's
//	        own group
type Request struct {
	Kind       RequestKind
	Names      []string // Mounts: the images' names
	InitUID    uint32   // Spawn: host uid and gid of the init
	PayloadUID uint32   // Spawn: host uid and gid of the payload
	CgroupV2   bool     // Spawn
	// Spawn of a template: it maps the UIDs numbers of the host from FirstUID on,
	// InitUID and the next one among them as its own pair.
	Template    bool
	FirstUID    uint32
	UIDs        uint32
	TemplateGID uint32   // host gid of init and template, outside that range
	Skip        []string // Spawn: what to leave out; heeded by test builds only
}

// Encode makes the message.
func (r Request) Encode() []byte {
	var e Encoder
	e.Number(uint32(r.Kind))
	e.Strings(r.Names)
	e.Number(r.InitUID)
	e.Number(r.PayloadUID)
	e.Number(bit(r.CgroupV2))
	e.Number(bit(r.Template))
	e.Number(r.FirstUID)
	e.Number(r.UIDs)
	e.Number(r.TemplateGID)
	e.Strings(r.Skip)
	return e.Bytes()
}

// DecodeRequest reads what Request.Encode makes. It fails with ErrMalformed, for an
// unknown kind too.
func DecodeRequest(b []byte) (Request, error) {
	d := NewDecoder(b)
	r := Request{
		Kind: RequestKind(d.Number()), Names: d.Strings(),
		InitUID: d.Number(), PayloadUID: d.Number(), CgroupV2: d.Number() == 1,
		Template: d.Number() == 1, FirstUID: d.Number(), UIDs: d.Number(), TemplateGID: d.Number(), Skip: d.Strings(),
	}
	if err := d.Err(); err != nil {
		return Request{}, err
	}
	if r.Kind < RequestMounts || r.Kind > RequestSpawn {
		return Request{}, ErrMalformed
	}
	return r, nil
}
