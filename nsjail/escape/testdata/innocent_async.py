# technique: coroutines driven by hand
# family: innocents
# innocent: yes
async def double(n):
    return 2 * n

async def total(n):
    return sum([await double(i) for i in range(n)])

def run(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as e:
        return e.value

result = run(total(10))
(won if result == 90 else held)("the total is %s" % result)
