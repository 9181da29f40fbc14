# technique: the module os as an underscored attribute
# family: A
# severity: H
# layers: policy, seccomp
import random

start_process(lambda: random._os)
