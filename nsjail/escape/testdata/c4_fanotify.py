# technique: a watch over file systems
# family: C4
# severity: C
# layers: seccomp
# profile: python-full
attempt("fanotify_init", 0x200, 0)  # by file identity: needs no privilege
