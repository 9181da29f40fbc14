import types


async def fetch(name, delay):
    got = await Pause(delay)
    return f"{name} after {got}"


class Pause:
    def __init__(self, n):
        self.n = n

    def __await__(self):
        answer = yield self.n
        return answer


async def main():
    results = []
    for i, name in enumerate(["a", "b"]):
        results.append(await fetch(name, i))
    return results


def drive(coroutine):
    sent = None
    while True:
        try:
            wanted = coroutine.send(sent)
        except StopIteration as stop:
            return stop.value
        sent = wanted * 10


class Ticker:
    def __init__(self, n):
        self.n = n

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.n == 0:
            raise StopAsyncIteration
        self.n -= 1
        return await Pause(self.n)


async def total():
    return sum([x async for x in Ticker(4)])


async def manage():
    class Manager:
        async def __aenter__(self):
            return await Pause(5)

        async def __aexit__(self, *exc):
            return False
    async with Manager() as m:
        return m


print(drive(main()), drive(total()), drive(manage()))
c = main()
print(isinstance(c, types.CoroutineType))
c.close()
