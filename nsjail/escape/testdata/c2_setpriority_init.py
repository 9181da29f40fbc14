# technique: change the priority of pid 1
# family: C2
# severity: H
# layers: seccomp, ids
# profile: python-full
attempt(141, 0, 1, 0)  # setpriority, to what it is
