# technique: make a socket of a family that no network namespace bounds: vsock, ALG, QIPCRTR, SMC, RDS, TIPC, and UNIX with its paths
# family: C3
# severity: C
# layers: seccomp
# profile: python-full
import os

# Made and closed, never connected.
errors = set()
for family, kind in [(40, 1), (38, 5), (42, 2), (43, 1), (21, 5), (30, 1), (1, 1)]:
    r, e = call("socket", family, kind, 0)
    if not e:
        os.close(r)
        won("family %d" % family)
        break
    errors.add(e)
else:
    held(" ".join(errors))
