# technique: keep bytes in a kernel keyring
# family: C3
# severity: H
# layers: seccomp
# profile: python-full
import ctypes

key, e = call("add_key", b"user", b"safe-exec-probe", b"@CANARY@", len("@CANARY@"), -2)  # the process's keyring
if e:
    held("add_key: " + e)
else:
    text = ctypes.create_string_buffer(100)
    r, e = call("keyctl", 11, key, text, 100, 0)  # KEYCTL_READ
    won("key %d holds %s" % (key, text.value.decode()))
