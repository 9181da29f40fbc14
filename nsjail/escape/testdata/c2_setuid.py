# technique: change the uid, gid or groups, or reach the calls that do
# family: C2
# severity: H
# layers: seccomp, capabilities
# profile: python-full
import os

# First what would be a gain, then what nobody needs a privilege for.
tries = [("setuid", 0), (117, 0, 0, 0), ("setgid", 0), ("setgroups", 0, 0), (122, 0), ("setuid", os.getuid()), (117, -1, -1, -1), (113, -1, -1), ("setgid", os.getgid())]
errors = set()
for t in tries:
    r, e = call(*t)
    if not e and t[0] != 122:  # setfsuid answers with the old one, whatever happened
        won("call %s allowed: uid %d, gid %d" % (t[0], os.getuid(), os.getgid()))
        break
    errors.add(e)
else:
    held("%d calls: %s" % (len(tries), " ".join(sorted(errors))))
