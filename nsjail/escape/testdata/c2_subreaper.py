# technique: adopt orphans in place of pid 1
# family: C2
# severity: H
# layers: seccomp
# profile: python-full
attempt("prctl", 36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
