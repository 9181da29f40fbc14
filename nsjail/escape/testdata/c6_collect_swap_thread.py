# technique: a thread that goes on to put links in the places of files
# family: C6
# severity: C
# layers: policy, collector
# collect: yes
import _thread
import os
import time

with open("result.txt", "w") as f:
    f.write("harmless")
with open("linger", "w") as f:
    pass

def swap():
    while True:
        os.symlink("@READABLE@", "swapped")
        os.rename("swapped", "result.txt")
        with open("swapped", "w") as f:
            f.write("harmless")
        os.rename("swapped", "result.txt")

_thread.start_new_thread(swap, ())
try: # where there are processes, one of them has such a thread and is survived by it
    if os.fork() == 0:
        os.symlink("@READABLE@", "left")
        time.sleep(60)
except OSError:
    pass
time.sleep(0.05)
held("left a thread for the collector")
os._exit(0)
