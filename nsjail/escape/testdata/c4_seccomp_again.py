# technique: a filter of one's own, with a listener for it
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
call("prctl", 38, 1, 0, 0, 0)
allow = (_ctypes.c_uint64 * 1)(0x7FFF000000000006)  # return SECCOMP_RET_ALLOW
class _Program(_ctypes.Structure):
    _fields_ = [("length", _ctypes.c_ushort), ("filter", _ctypes.c_void_p)]
program = _Program(1, _ctypes.addressof(allow))
attempt("seccomp", 1, 8, _ctypes.byref(program))
