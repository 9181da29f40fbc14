from itertools import product

GLIDER = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}


def neighbours(cell):
    x, y = cell
    return {(x + dx, y + dy) for dx, dy in product((-1, 0, 1), repeat=2) if (dx, dy) != (0, 0)}


def step(alive):
    candidates = alive | {n for c in alive for n in neighbours(c)}
    return {c for c in candidates if len(neighbours(c) & alive) == 3 or (c in alive and len(neighbours(c) & alive) == 2)}


def show(alive, size=6):
    return "\n".join("".join("#" if (x, y) in alive else "." for x in range(size)) for y in range(size))


alive = frozenset(GLIDER)
for generation in range(5):
    print(f"-- {generation}: {len(alive)}\n{show(alive)}")
    alive = step(alive)
print({(x - 1, y - 1) for x, y in alive} <= step(step(step(step(GLIDER)))), sorted(alive)[:2])
