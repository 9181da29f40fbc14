# technique: queues the signal of the filter, with a story of where it came from
# family: C6
# severity: H
# layers: seccomp
# profile: python-full
import signal

signal.signal(signal.SIGSYS, lambda *a: won("the signal of the filter arrived"))
information = _ctypes.create_string_buffer(128)
information[0:4] = (31).to_bytes(4, "little")
information[8:12] = (-1).to_bytes(4, "little", signed=True)
r, e = call(129, _os.getpid(), 31, information)  # rt_sigqueueinfo
if e:
    held("rt_sigqueueinfo: " + e)
