# technique: memory with a descriptor
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
attempt("memfd_create", b"x", 0)
