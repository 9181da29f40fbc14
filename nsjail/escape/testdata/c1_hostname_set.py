# technique: change the host name
# family: C1
# severity: M
# layers: seccomp, capabilities, uts_namespace
# profile: python-full
import os

call("unshare", 0x10000000 | 0x04000000)  # what lets a control do it
r, e = call("sethostname", b"taken", 5)
if os.uname().nodename == "taken":
    won("the name is taken")
else:
    held("sethostname: " + e)
