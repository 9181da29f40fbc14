# technique: change the scheduling of pid 1
# family: C2
# severity: H
# layers: seccomp, ids
# profile: python-full
import struct

attempt(144, 1, 0, struct.pack("<i", 0))  # sched_setscheduler, SCHED_OTHER as it is
