# technique: sends itself the signal of the filter, with a high bit in the number
# family: C6
# severity: H
# layers: seccomp
# profile: python-full
import signal

signal.signal(signal.SIGSYS, lambda *a: won("the signal of the filter arrived"))
r, e = call("kill", _os.getpid(), 31 | 1 << 32)
if e:
    held("kill: " + e)
