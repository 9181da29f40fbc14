# technique: change the scheduling of pid 1
# family: C2
# severity: H
# layers: seccomp, ids
# profile: python-full
import struct

attempt(144, 1, 5, struct.pack("<i", 0))  # sched_setscheduler, SCHED_IDLE: from every class one may go there
