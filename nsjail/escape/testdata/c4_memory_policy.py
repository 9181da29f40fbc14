# technique: placement of memory
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
attempt("set_mempolicy", 0, 0, 0)
