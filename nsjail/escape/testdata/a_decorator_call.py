# technique: decorators call what they name
# family: A
# severity: H
# layers: policy, seccomp
source = lambda _: "import os as found"

try:
    @exec
    @source
    class nothing:
        pass
except Exception:
    pass
start_process(lambda: found)
