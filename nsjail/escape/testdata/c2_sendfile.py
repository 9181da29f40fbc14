# technique: put page-cache pages of a shared file into a pipe by sendfile
# family: C2
# severity: H
# layers: seccomp
# profile: python-full
import os

file = os.open(os.__file__, os.O_RDONLY)
out, into = os.pipe()
try:
    os.sendfile(into, file, 0, 16)
    won("%d bytes arrived in the pipe" % len(os.read(out, 16)))
except OSError as e:
    held(errno_name(e))
