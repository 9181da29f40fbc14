# technique: make or join a session keyring
# family: C3
# severity: H
# layers: seccomp
# profile: python-full
attempt("keyctl", 1, 0, 0, 0, 0)  # KEYCTL_JOIN_SESSION_KEYRING, an anonymous one
