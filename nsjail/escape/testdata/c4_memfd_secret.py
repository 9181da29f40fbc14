# technique: memory that the kernel itself does not map
# family: C4
# severity: M
# layers: seccomp
# profile: python-full
attempt("memfd_secret", 0)
