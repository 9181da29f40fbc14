# technique: trace pid 1
# family: C2
# severity: C
# layers: seccomp, ids
# profile: python-full
attempt("ptrace", 0x4206, 1, 0, 0)  # PTRACE_SEIZE, which does not stop it
