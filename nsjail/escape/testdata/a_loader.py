# technique: a module's loader loads another
# family: A
# severity: H
# layers: policy, seccomp
import time

start_process(lambda: time.__loader__.load_module("posix"))
