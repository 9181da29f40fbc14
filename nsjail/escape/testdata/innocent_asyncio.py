# technique: an event loop, timers, queues and threads behind it
# family: innocents
# innocent: yes
# policy: relaxed
import asyncio
import time

async def worker(q, out):
    while (n := await q.get()) is not None:
        await asyncio.sleep(0.001)
        out.append(n * n)

async def main():
    q, out = asyncio.Queue(), []
    for n in range(10):
        q.put_nowait(n)
    for _ in range(3):
        q.put_nowait(None)
    await asyncio.gather(*[worker(q, out) for _ in range(3)])
    slept = await asyncio.to_thread(time.sleep, 0.01)
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError:
        return sum(out), slept

(won if asyncio.run(main()) == (285, None) else held)("the loop ran")
