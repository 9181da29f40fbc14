# technique: leaves a set-uid program for a collector
# family: C6
# severity: C
# layers: policy, nosuid, collector
# verdict: completed
# expect: status=succeeded, files=1, files_skipped=0
import os

with open("result", "wb") as f:
    f.write(tiny_program(b"x"))
os.chmod("result", 0o6755)
won("a collector finds a program of mode %o" % os.stat("result").st_mode)
