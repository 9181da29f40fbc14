# technique: ask to be traced, to see whether the call is reachable
# family: C2
# severity: H
# layers: seccomp
# profile: python-full
attempt("ptrace", 0, 0, 0, 0)  # PTRACE_TRACEME
