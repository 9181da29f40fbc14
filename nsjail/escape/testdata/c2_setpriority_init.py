# technique: change the priority of pid 1
# family: C2
# severity: H
# layers: seccomp, ids
# profile: python-full
attempt(141, 0, 1, 19)  # setpriority, to the least: whoever may set it at all may do that, whatever it was
