package wire

// # Control socket: daemon and init
//
// A SOCK_SEQPACKET pair, descriptor 3 of the init, one message a packet. When
// the daemon's end closes, however it dies, the init exits and the kernel kills
// the whole pid namespace with it.
//
//	daemon                                init
//	        ----- Setup ---------------->
//	                                      mounts, pivot, limits, fork
//	                                      drop everything, become the supervisor
//	        <---- Started + pidfd | Fault
//	                                      wait for the payload
//	        <---- Exited ----------------
//	        ----- List, Read ----------->
//	        <---- (see CollectKind) -----
//	        ----- (close) -------------->
//	                                      exit
//
// A forked init speaks the same from Started on: what it builds came with the
// template's order.

// Descriptors that the init is born with.
const (
	FDControl    = 3
	FDJob        = 4
	FDStdout     = 5
	FDStderr     = 6
	FDSupervisor = 7 // what it becomes
	FDOrders     = 8 // a template's alone: the socket of its orders
)

// Identities inside the jail's user namespace. Each maps to a host uid and gid
// of its own that no other run has at the same time.
const (
	InitID    = 0
	PayloadID = 1
)

// Rlimit is one setrlimit(2) pair, both values alike: a soft limit below a hard
// one could be raised again.
type Rlimit struct {
	Resource uint32
	Value    uint64
}

// Setup tells the init what to build. All of it comes from the daemon and its
// profiles, nothing from a request but numbers.
type Setup struct {
	Image         string   // name of the image mount below ImageDir
	LandlockABI   uint32   // what the daemon found; the init does not ask again
	ReadRoots     []string // paths in the image that Landlock lets be read and executed
	TmpBytes      uint64
	TmpInodes     uint64
	UnshareCgroup bool // cgroup v2: root the cgroup namespace at the leaf from inside
	Rlimits       []Rlimit
	Argv          []string // Argv[0] is a path in the image
	Env           []string
	StartupFilter string // raw struct sock_filter array
	InitFilter    string
	Template      bool     // the payload forks jails: it keeps two capabilities and has neither Landlock nor filter
	Skip          []string // steps to leave out; heeded by test builds only
}

// Places in the spawner's mount namespace, where every jail starts from.
const (
	ImageDir = "/image"   // one mount per profile below it
	DevDir   = "/devices" // the device nodes
	JailDir  = "/jail"    // where a jail's root is put together
)

// Encode makes the message.
func (s Setup) Encode() []byte {
	var e Encoder
	e.String(s.Image)
	e.Number(s.LandlockABI)
	e.Strings(s.ReadRoots)
	e.Number64(s.TmpBytes)
	e.Number64(s.TmpInodes)
	e.Number(bit(s.UnshareCgroup))
	e.Number(uint32(len(s.Rlimits)))
	for _, r := range s.Rlimits {
		e.Number(r.Resource)
		e.Number64(r.Value)
	}
	e.Strings(s.Argv)
	e.Strings(s.Env)
	e.String(s.StartupFilter)
	e.String(s.InitFilter)
	e.Number(bit(s.Template))
	e.Strings(s.Skip)
	return e.Bytes()
}

// DecodeSetup reads what Setup.Encode makes. It fails with ErrMalformed.
func DecodeSetup(b []byte) (Setup, error) {
	d := NewDecoder(b)
	s := Setup{
		Image: d.String(), LandlockABI: d.Number(), ReadRoots: d.Strings(),
		TmpBytes: d.Number64(), TmpInodes: d.Number64(), UnshareCgroup: d.Number() == 1,
	}
	for n := d.Number(); n > 0 && d.err == nil; n-- {
		s.Rlimits = append(s.Rlimits, Rlimit{Resource: d.Number(), Value: d.Number64()})
	}
	s.Argv, s.Env = d.Strings(), d.Strings()
	s.StartupFilter, s.InitFilter = d.String(), d.String()
	s.Template, s.Skip = d.Number() == 1, d.Strings()
	return s, d.Err()
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// EventKind is the first number of a message from init or spawner.
type EventKind uint32

const (
	EventFault   EventKind = 1 // Step and Errno say what failed
	EventStarted EventKind = 2 // the payload runs; its pidfd rides along
	EventExited  EventKind = 3 // the payload is dead
)

// Event is what init and spawner report.
type Event struct {
	Kind   EventKind
	Step   string // EventFault: the step's name
	Errno  uint32 // EventFault
	Status uint32 // EventExited: the wait status, as wait4(2) gives it
	// EventExited: what was left free of the working directory's tmpfs.
	FreeBytes, FreeInodes uint64
}

// Encode makes the message.
func (v Event) Encode() []byte {
	var e Encoder
	e.Number(uint32(v.Kind))
	e.String(v.Step)
	e.Number(v.Errno)
	e.Number(v.Status)
	e.Number64(v.FreeBytes)
	e.Number64(v.FreeInodes)
	return e.Bytes()
}

// DecodeEvent reads what Event.Encode makes. It fails with ErrMalformed, for an unknown
// kind too.
func DecodeEvent(b []byte) (Event, error) {
	d := NewDecoder(b)
	v := Event{
		Kind: EventKind(d.Number()), Step: d.String(), Errno: d.Number(),
		Status: d.Number(), FreeBytes: d.Number64(), FreeInodes: d.Number64(),
	}
	if err := d.Err(); err != nil {
		return Event{}, err
	}
	if v.Kind < EventFault || v.Kind > EventExited {
		return Event{}, ErrMalformed
	}
	return v, nil
}
