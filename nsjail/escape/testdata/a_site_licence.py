# technique: the object that shows the licence has module globals
# family: A
# severity: H
# layers: policy, seccomp
start_process(lambda: license.__init__.__globals__["sys"].modules["posix"])
