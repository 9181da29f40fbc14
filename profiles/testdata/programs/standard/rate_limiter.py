import asyncio
import contextlib
import heapq
from collections import deque


class Clock:
    """A clock that the test turns by hand."""

    def __init__(self):
        self.now, self._timers = 0.0, []

    async def sleep(self, seconds):
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._timers, (self.now + seconds, id(future), future))
        await future

    async def advance(self, seconds):
        end = self.now + seconds
        while self._timers and self._timers[0][0] <= end:
            self.now, _, future = heapq.heappop(self._timers)
            future.set_result(None)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        self.now = end


class Limiter:
    def __init__(self, clock, rate):
        self.clock, self.rate, self.stamps = clock, rate, deque(maxlen=rate)

    @contextlib.asynccontextmanager
    async def slot(self):
        if len(self.stamps) == self.rate and (wait := self.stamps[0] + 1 - self.clock.now) > 0:
            await self.clock.sleep(wait)
        self.stamps.append(self.clock.now)
        yield self.clock.now


async def main():
    clock = Clock()
    limiter, seen = Limiter(clock, 2), []

    async def job(n):
        for _ in range(3):
            async with limiter.slot() as at:
                seen.append((n, at))

    tasks = [asyncio.create_task(job(n)) for n in range(1)]
    await asyncio.sleep(0)
    await clock.advance(3)
    await asyncio.gather(*tasks)
    print(seen)
    event, lock = asyncio.Event(), asyncio.Lock()

    async def waiter():
        await event.wait()
        async with lock:
            return "woken"

    waiting = asyncio.create_task(waiter())
    await asyncio.sleep(0)
    event.set()
    print(await waiting, lock.locked())


asyncio.run(main())
