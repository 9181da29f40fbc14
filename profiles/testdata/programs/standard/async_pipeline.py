import asyncio
import random
from collections.abc import AsyncIterator


async def produce(queue: asyncio.Queue, n: int) -> None:
    for i in range(n):
        await asyncio.sleep(0.001)
        await queue.put(i)
    await queue.put(None)


async def consume(queue: asyncio.Queue) -> list[int]:
    results = []
    while (item := await queue.get()) is not None:
        results.append(item * item)
        queue.task_done()
    return results


async def numbers(n: int) -> AsyncIterator[int]:
    for i in range(n):
        yield i
        await asyncio.sleep(0)


async def fetch(name: str, delay: float, fail: bool = False) -> str:
    await asyncio.sleep(delay)
    if fail:
        raise ValueError(f"{name} failed")
    return f"{name} done"


async def limited(semaphore, n):
    async with semaphore:
        await asyncio.sleep(0.001)
        return n


async def main():
    queue = asyncio.Queue(maxsize=2)
    _, squares = await asyncio.gather(produce(queue, 5), consume(queue))
    print(squares)
    print([x async for x in numbers(4) if x % 2 == 0])
    results = await asyncio.gather(fetch("a", 0.01), fetch("b", 0.001, True), return_exceptions=True)
    print([r if isinstance(r, str) else repr(r) for r in results])
    try:
        await asyncio.wait_for(fetch("slow", 5), timeout=0.01)
    except asyncio.TimeoutError:
        print("timed out")
    semaphore = asyncio.Semaphore(2)
    print(sum(await asyncio.gather(*(limited(semaphore, i) for i in range(5)))))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(fetch(n, 0.001)) for n in "xyz"]
    print([t.result() for t in tasks])
    task = asyncio.create_task(fetch("cancelled", 10))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled", task.cancelled())
    done, pending = await asyncio.wait({asyncio.create_task(fetch("w", 0.001))}, timeout=5)
    print(len(done), len(pending))


if __name__ == "__main__":
    asyncio.run(main())
