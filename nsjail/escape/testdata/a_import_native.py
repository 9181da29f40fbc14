# technique: call the C library
# family: A
# severity: C
# layers: policy, image, seccomp
try:
    import ctypes
    system = ctypes.CDLL(None).system
    reached("a function of the C library")
    status = system(b"exit 7")
    if status == 7 << 8:
        won("child's exit status 7")
    else:
        held("system gave %d" % status)
except Exception as e:
    held(errno_name(e))
