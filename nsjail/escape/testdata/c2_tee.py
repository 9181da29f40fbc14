# technique: share pages between pipes by tee
# family: C2
# severity: H
# layers: seccomp
# profile: python-full
import os

out, into = os.pipe()
other_out, other_into = os.pipe()
os.write(into, b"x" * 16)
r, e = call("tee", out, other_into, 16, 0)
if e:
    held("tee: " + e)
else:
    won("%d bytes arrived in the other pipe" % len(os.read(other_out, 16)))
