# technique: make a socket of any family and type
# family: C3
# severity: H
# layers: seccomp, net_namespace
# profile: python-full
import os

# Stops at the first that works, so that a control makes the kernel load nothing.
refused = {}
for family in [2, 10, 1, 16, 17] + [n for n in range(64) if n not in (1, 2, 10, 16, 17)]:
    for kind in [1, 2, 3, 5]:
        r, e = call("socket", family, kind, 0)
        refused[e] = refused.get(e, 0) + 1
        if not e:
            break
    else:
        continue
    won("family %d, type %d" % (family, kind))
    break
else:
    held(" ".join("%s %d" % (e, n) for e, n in refused.items()))
