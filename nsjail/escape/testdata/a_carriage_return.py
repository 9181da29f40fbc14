# technique: a carriage return ends a comment
# family: A
# severity: H
# layers: policy, seccomp
space = {}
# A comment.import os; space["found"] = os
start_process(lambda: space["found"])
