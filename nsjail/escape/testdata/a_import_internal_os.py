# technique: import the C module beneath os
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import posix
    return posix

start_process(trick)
