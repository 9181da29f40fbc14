# technique: unshare what needs no privilege, to see whether the call is reachable
# family: C1
# severity: M
# layers: seccomp
# profile: python-full
attempt("unshare", 0x400)  # CLONE_FILES
