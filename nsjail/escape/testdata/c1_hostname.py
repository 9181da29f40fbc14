# technique: learn the host's name
# family: C1
# severity: L
# layers: policy, uts_namespace
import os

name = os.uname().nodename
if name == "sandbox":
    held("the name is sandbox")
else:
    won(name)
