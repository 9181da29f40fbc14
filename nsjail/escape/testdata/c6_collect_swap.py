# technique: puts a link in the place of a file after its own end
# family: C6
# severity: C
# layers: policy, seccomp, collector
# collect: yes
import os
import time

with open("result.txt", "w") as f:
    f.write("harmless")
with open("linger", "w") as f:
    pass
me = os.getpid()
try:
    if os.fork() == 0:
        while os.getppid() == me:
            time.sleep(0.01)
        os.symlink("@READABLE@", "swapped")
        os.rename("swapped", "result.txt")
        os._exit(0)
    held("left a process for the collector")
except OSError as e:
    held(errno_name(e))
