import math


def energy(bodies):
    total = 0.0
    for i, (x, y, z, vx, vy, vz, m) in enumerate(bodies):
        total += 0.5 * m * (vx * vx + vy * vy + vz * vz)
        for x2, y2, z2, _, _, _, m2 in bodies[i + 1:]:
            total -= m * m2 / math.sqrt((x - x2) ** 2 + (y - y2) ** 2 + (z - z2) ** 2)
    return total


def advance(bodies, dt, steps):
    pairs = [(a, b) for i, a in enumerate(bodies) for b in bodies[i + 1:]]
    for _ in range(steps):
        for a, b in pairs:
            dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
            squared = dx * dx + dy * dy + dz * dz
            mag = dt / (squared * math.sqrt(squared))
            am, bm = a[6] * mag, b[6] * mag
            a[3] -= dx * bm
            a[4] -= dy * bm
            a[5] -= dz * bm
            b[3] += dx * am
            b[4] += dy * am
            b[5] += dz * am
        for body in bodies:
            body[0] += dt * body[3]
            body[1] += dt * body[4]
            body[2] += dt * body[5]


bodies = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47],
    [4.84, -1.16, -0.10, 0.606, 2.81, -0.02, 0.037],
    [8.34, 4.12, -0.40, -1.01, 1.82, 0.008, 0.011],
    [12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017],
    [15.37, -25.91, 0.17, 0.97, 0.59, -0.03, 0.002],
]
advance(bodies, 0.01, 500000)
print("%.9f" % energy(bodies))
