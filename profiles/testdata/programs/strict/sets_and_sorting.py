people = [
    {"name": "Ann", "age": 31, "langs": {"py", "go"}},
    {"name": "bob", "age": 25, "langs": {"js"}},
    {"name": "Cid", "age": 31, "langs": {"py", "js", "c"}},
]
print([p["name"] for p in sorted(people, key=lambda p: (-p["age"], p["name"].lower()))])
print(sorted(set().union(*(p["langs"] for p in people))), sorted(people[0]["langs"] & people[2]["langs"]))
by_age = {}
for p in people:
    by_age.setdefault(p["age"], []).append(p["name"])
print(by_age, max(people, key=lambda p: len(p["langs"]))["name"], min(map(len, by_age.values())))
print(any(p["age"] < 18 for p in people), all(p["age"] > 20 for p in people), [*zip(*[[1, 2], [3, 4]])], list(enumerate("ab", 1)))
matrix = [[1, 2, 3], [4, 5, 6]]
print([list(r) for r in zip(*matrix)], [x for row in matrix for x in row if x % 2], {x: x ** 2 for x in range(3)}, {c for c in "hello"} == set("helo"))
words = "the quick brown fox".split()
print({w: len(w) for w in words}, dict(sorted({w[0]: w for w in words}.items())), " ".join(reversed(words)), sorted(words, key=len, reverse=True))
stack, queue = [1, 2, 3], [1, 2, 3]
stack.pop(), queue.pop(0), queue.insert(0, 9), stack.extend([7, 8])
print(stack, queue, stack[::-1], stack[-2:], list(range(10, 0, -3)), slice(1, 3).indices(10))
a, b, *c = range(5)
(d, e), f = [1, 2], 3
print(a, b, c, d, e, f, a if a else b, not a, a or b, a and b, 1 < 2 < 3, [] is not None, (x := 5) + x)


def bubble(items):
    items = list(items)
    for i in range(len(items)):
        for j in range(len(items) - 1 - i):
            if items[j] > items[j + 1]:
                items[j], items[j + 1] = items[j + 1], items[j]
        else:
            continue
    return items


def quick(items):
    if len(items) <= 1:
        return items
    pivot, *rest = items
    return quick([x for x in rest if x < pivot]) + [pivot] + quick([x for x in rest if x >= pivot])


print(bubble([3, 1, 2]), quick([5, 3, 9, 1, 5]), sorted("bca"), sorted([True, 0, 2.5]), sum(map(int, "12345")), "".join(filter(str.isalpha, "a1b2")))
