# technique: hold the kernel still in a page fault
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
attempt("userfaultfd", 1 | 0o2000000)  # of user mode only: needs no privilege
