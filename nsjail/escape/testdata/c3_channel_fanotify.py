# technique: see another run's accesses to a shared file by fanotify
# family: C3
# severity: L
# layers: seccomp
# profile: python-full
attempt("fanotify_init", 0x200, 0)  # FAN_REPORT_FID, which needs no privilege
