# technique: write to a read-only page through /proc/self/mem
# family: C1
# severity: H
# layers: no_proc, mount_namespace
# profile: python-full
import ctypes
import mmap

page = mmap.mmap(-1, 4096)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
call("mprotect", address, 4096, 1)
try:
    with open("/proc/self/mem", "r+b", buffering=0) as f:
        f.seek(address)
        f.write(b"x")
    won("read-only page holds %s" % ctypes.string_at(address, 1).decode())
except OSError as e:
    held(errno_name(e))
