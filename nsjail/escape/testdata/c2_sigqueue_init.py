# technique: queue a signal with data to pid 1
# family: C2
# severity: C
# layers: seccomp, ids
# profile: python-full
import struct

# siginfo: signal, errno, code SI_QUEUE; the signal is 0
attempt(129, 1, 0, struct.pack("<iii", 0, 0, -1) + bytes(116))
