# technique: the module os as a plain attribute of a module of the standard level
# family: A
# severity: H
# layers: policy, seccomp
import uuid

start_process(lambda: uuid.os)
