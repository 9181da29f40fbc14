# technique: a file of a terabyte that holds nothing
# family: C5
# severity: H
# layers: rlimit
import os
import signal

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
open("file", "w").close()
try:
    os.truncate("file", 1 << 40)
    won("a file of %d bytes" % os.stat("file").st_size)
except OSError as e:
    held(errno_name(e))
