# technique: a timer with a descriptor
# family: C4
# severity: M
# layers: seccomp
# profile: python-full
attempt(283, 1, 0)  # timerfd_create
