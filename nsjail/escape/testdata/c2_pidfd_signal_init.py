# technique: signal pid 1 by pidfd_send_signal
# family: C2
# severity: C
# layers: seccomp, ids
# profile: python-full
pidfd, e = call("pidfd_open", 1, 0)
attempt("pidfd_send_signal", 0 if e else pidfd, 0, 0, 0)
