# technique: clear the signal that ends it with its parent
# family: C2
# severity: H
# layers: seccomp, pid_namespace, cgroup
# profile: python-full
attempt("prctl", 1, 0, 0, 0, 0)  # PR_SET_PDEATHSIG
