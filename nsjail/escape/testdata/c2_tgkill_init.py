# technique: signal the thread of pid 1 by tgkill
# family: C2
# severity: C
# layers: ids, landlock, pid_namespace
# profile: python-full
attempt("tgkill", 1, 1, 0)
