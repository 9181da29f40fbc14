# technique: describe a keyring that was inherited
# family: C3
# severity: H
# layers: seccomp, session_keyring
# profile: python-full
import ctypes

call("keyctl", 0, -2, 1, 0, 0)  # makes the process's own, so that a control has one
text, errors = ctypes.create_string_buffer(200), []
for ring in [-1, -2]:
    r, e = call("keyctl", 6, ring, text, 200, 0)  # KEYCTL_DESCRIBE
    if not e:
        won(text.value.decode())
        break
    errors.append(e)
else:
    held("keyctl: " + " ".join(errors))
