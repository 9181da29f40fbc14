# technique: find a secret of the supervisor on the stack, where exec put it
# family: C2
# severity: H
# layers: environment
# profile: python-full
import ctypes

_libc.getauxval.restype = ctypes.c_ulong
end = _libc.getauxval(31)  # AT_EXECFN: the strings of the environment are below it
text = ctypes.string_at(end - 4096, 4096)
at = text.find(b"@ENVIRON_NAME@=@ENVIRON_VALUE@")
if at >= 0:
    won(text[at:].split(b"\0")[0].decode())
else:
    held("%d strings, none secret" % len([s for s in text.split(b"\0") if b"=" in s]))
