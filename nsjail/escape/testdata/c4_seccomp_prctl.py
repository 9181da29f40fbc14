# technique: a filter of one's own by the older call
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
call("prctl", 38, 1, 0, 0, 0)
allow = (_ctypes.c_uint64 * 1)(0x7FFF000000000006)
class _Program(_ctypes.Structure):
    _fields_ = [("length", _ctypes.c_ushort), ("filter", _ctypes.c_void_p)]
program = _Program(1, _ctypes.addressof(allow))
attempt("prctl", 22, 2, _ctypes.byref(program), 0, 0)
