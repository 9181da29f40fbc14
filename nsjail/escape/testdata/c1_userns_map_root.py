# technique: become uid 0 of a nested user namespace
# family: C1
# severity: C
# layers: seccomp, user_namespace_limit, no_proc
# profile: python-full
import os

uid = os.getuid()
r, e = call("unshare", 0x10000000)
try:
    with open("/proc/self/uid_map", "w") as f:
        f.write("0 %d 1" % uid)
except OSError as error:
    e += "; " + errno_name(error)
if os.getuid() == 0 and uid != 0:
    won("uid 0 instead of %d" % uid)
else:
    held("unshare: %s; uid %d" % (e, os.getuid()))
