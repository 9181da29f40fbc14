# technique: tasks, timers, queues and threads of the standard level
# family: innocents
# innocent: yes
# policy: standard
import asyncio
import threading

async def work(queue, found):
    while (item := await queue.get()) is not None:
        await asyncio.sleep(0)
        found.append(item * 2)

async def main():
    queue, found = asyncio.Queue(), []
    async with asyncio.timeout(5):
        async with asyncio.TaskGroup() as group:
            group.create_task(work(queue, found))
            for item in (1, 2, None):
                await queue.put(item)
    loop = asyncio.get_running_loop()
    later = loop.create_future()
    loop.call_later(0.001, later.set_result, 7)
    return found + [await later, await asyncio.to_thread(sum, [1, 2]), await asyncio.gather(asyncio.sleep(0, 3))]

lock, total = threading.Lock(), [0]

def add():
    for _ in range(100):
        with lock:
            total[0] += 1

threads = [threading.Thread(target=add, name=f"t{i}") for i in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
found = asyncio.run(main())
(won if found == [2, 4, 7, 3, [3]] and total == [400] else held)(found)
