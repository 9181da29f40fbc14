# technique: the interactive help has module globals
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    return type(help).__call__.__globals__["sys"].modules["posix"]

start_process(trick)
