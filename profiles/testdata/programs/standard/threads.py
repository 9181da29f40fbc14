import threading
import time
from threading import Lock, Thread, Event


class Counter:
    def __init__(self):
        self.value = 0
        self._lock = Lock()

    def increment(self, times):
        for _ in range(times):
            with self._lock:
                self.value += 1


counter = Counter()
threads = [Thread(target=counter.increment, args=(500,), daemon=True) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(counter.value, all(not t.is_alive() for t in threads))

ready, results = Event(), {}


def waiter(name):
    ready.wait(timeout=10)
    results[name] = len(name)


waiters = [Thread(target=waiter, args=(n,)) for n in ("a", "bb")]
[t.start() for t in waiters]
ready.set()
[t.join() for t in waiters]
print(sorted(results.items()), threading.current_thread().name)


class Worker(Thread):
    def __init__(self, n):
        super().__init__(name=f"worker-{n}")
        self.n, self.result = n, None

    def run(self):
        time.sleep(0.001)
        self.result = self.n ** 2


workers = [Worker(i) for i in range(3)]
for w in workers:
    w.start()
for w in workers:
    w.join()
print([(w.name, w.result) for w in workers])
local = threading.local()
local.x = 1
print(hasattr(local, "x"), threading.active_count())
