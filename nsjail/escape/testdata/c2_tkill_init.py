# technique: signal the thread of pid 1 by tkill
# family: C2
# severity: C
# layers: seccomp, ids
# profile: python-full
attempt(200, 1, 0)
