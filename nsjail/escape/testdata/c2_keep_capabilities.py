# technique: turn on keep-capabilities
# family: C2
# severity: H
# layers: seccomp, securebits
# profile: python-full
attempt("prctl", 8, 1, 0, 0, 0)  # PR_SET_KEEPCAPS
