# technique: splice by the library's own call
# family: C2
# severity: H
# layers: seccomp
# profile: python-full
import os

file = os.open(os.__file__, os.O_RDONLY)
out, into = os.pipe()
try:
    won("%d bytes arrived in the pipe" % os.splice(file, into, 16))
except OSError as e:
    held(errno_name(e))
