# technique: change the root directory
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
import os

call("unshare", 0x10000000)  # what lets a control do it
os.chdir("/tmp")
r, e = call("chroot", b"@DIR@" if os.path.isdir("@DIR@") else b"/tmp")
if e:
    held("chroot: " + e)
elif os.path.exists("/readable"):
    won("read %s at /readable" % open("/readable").read())
else:
    won("the root is another directory")
