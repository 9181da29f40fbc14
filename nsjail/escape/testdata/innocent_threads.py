# technique: threads, locks and a pool of them
# family: innocents
# innocent: yes
# policy: relaxed
import concurrent.futures
import queue
import threading

lock, total, results = threading.Lock(), [0], queue.Queue()

def work(n):
    with lock:
        total[0] += n
    results.put(n)

threads = [threading.Thread(target=work, args=(n,)) for n in range(20)]
for t in threads:
    t.start()
for t in threads:
    t.join(5)
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    squares = list(pool.map(lambda n: n * n, range(50)))
ok = total == [190] and results.qsize() == 20 and squares[-1] == 2401
(won if ok else held)("the sum is %d" % total[0])
