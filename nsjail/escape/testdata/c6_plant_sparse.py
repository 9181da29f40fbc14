# technique: leaves files that look much larger than they are, for a collector
# family: C6
# severity: H
# layers: policy, rlimit, collector
# verdict: completed
# expect: status=succeeded, files=0, files_skipped=65
import os

for i in range(100):
    open("f%d" % i, "w").close()
    os.truncate("f%d" % i, 60 << 20)
won("a collector would read %d bytes" % sum(os.stat(f).st_size for f in os.listdir(".")))
