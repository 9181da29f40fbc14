# technique: call the C library
# family: A
# severity: C
# layers: policy, image, seccomp
try:
    import ctypes
    status = ctypes.CDLL(None).system(b"exit 7")
    if status == 7 << 8:
        won("child's exit status 7")
    else:
        held("system gave %d" % status)
except Exception as e:
    held(errno_name(e))
