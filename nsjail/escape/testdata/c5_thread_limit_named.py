# technique: dies of the limit of threads
# family: C5
# severity: H
# layers: policy, cgroup
# verdict: pids_limit
# expect: status=failed, exit_code=1
# memory_mb: 256
import threading

stop = threading.Event()
threads = []
try:
    while len(threads) < 100:
        t = threading.Thread(target=stop.wait, daemon=True)
        t.start()
        threads.append(t)
    won("%d threads at once" % len(threads))
finally:
    stop.set()
