# technique: read and write its own memory through /proc/self/mem, past the protection of pages
# family: C1
# severity: H
# layers: no_proc, mount_namespace
# profile: python-full
import ctypes

secret = ctypes.create_string_buffer(b"@CANARY@")
try:
    with open("/proc/self/mem", "r+b", buffering=0) as f:
        f.seek(ctypes.addressof(secret))
        won("read %s" % f.read(len("@CANARY@")).decode())
except OSError as e:
    held(errno_name(e))
