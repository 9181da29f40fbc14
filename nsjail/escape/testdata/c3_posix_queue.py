# technique: POSIX message queues
# family: C3
# severity: M
# layers: seccomp, ipc_namespace
# profile: python-full
import ctypes
import os

queue, e = call("mq_open", b"safe-exec-probe", os.O_RDWR | os.O_CREAT, 0o600, 0)
if e:
    held("mq_open: " + e)
else:
    call(242, queue, b"hello", 5, 0, 0)  # mq_timedsend
    text = ctypes.create_string_buffer(8192)
    r, e = call(243, queue, text, 8192, 0, 0)
    call(241, b"safe-exec-probe")
    won("%s arrived" % text.raw[:5].decode())
