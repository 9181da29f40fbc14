# technique: compare kernel objects with those of pid 1 by kcmp
# family: C2
# severity: H
# layers: seccomp, ids
# profile: python-full
import os

attempt("kcmp", 1, os.getpid(), 0, 1, 1)  # KCMP_FILE
