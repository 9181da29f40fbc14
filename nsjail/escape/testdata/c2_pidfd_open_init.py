# technique: descriptor of pid 1 by pidfd_open
# family: C2
# severity: H
# layers: seccomp
# profile: python-full
attempt("pidfd_open", 1, 0)
