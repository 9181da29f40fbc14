# technique: make itself dumpable, so that others of its uid may trace it
# family: C2
# severity: M
# layers: seccomp
# profile: python-full
attempt("prctl", 4, 1, 0, 0, 0)  # PR_SET_DUMPABLE
