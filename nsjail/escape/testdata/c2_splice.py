# technique: put page-cache pages of a shared file into a pipe by splice
# family: C2
# severity: C
# layers: seccomp
# profile: python-full
import os

file = os.open(os.__file__, os.O_RDONLY)
out, into = os.pipe()
r, e = call("splice", file, 0, into, 0, 16, 0)
if e:
    held("splice: " + e)
else:
    won("%d bytes arrived in the pipe" % len(os.read(out, 16)))
