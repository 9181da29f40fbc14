# technique: threads without end
# family: C5
# severity: H
# layers: policy, cgroup, rlimit
import threading

stop = threading.Event()
threads = []
try:
    while len(threads) < 100:
        t = threading.Thread(target=stop.wait)
        t.start()
        threads.append(t)
    won("%d threads at once" % len(threads))
except RuntimeError as e:
    held("after %d threads: %s" % (len(threads), errno_name(e)))
stop.set()
