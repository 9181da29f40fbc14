import random
import math
from collections import Counter
from statistics import NormalDist, fmean, stdev

random.seed(2024)


def monte_carlo_pi(n):
    return 4 * sum(random.random() ** 2 + random.random() ** 2 <= 1 for _ in range(n)) / n


class Particle:
    __slots__ = ("x", "y", "vx", "vy")

    def __init__(self, x, y, vx, vy):
        self.x, self.y, self.vx, self.vy = x, y, vx, vy

    def step(self, dt):
        self.x += self.vx * dt
        self.y += self.vy * dt
        if not 0 <= self.x <= 1:
            self.vx = -self.vx
        if not 0 <= self.y <= 1:
            self.vy = -self.vy

    @property
    def energy(self):
        return 0.5 * math.hypot(self.vx, self.vy) ** 2


print(round(monte_carlo_pi(5000), 3))
particles = [Particle(random.random(), random.random(), random.gauss(0, 1), random.gauss(0, 1)) for _ in range(20)]
before = math.fsum(p.energy for p in particles)
for _ in range(50):
    for p in particles:
        p.step(0.01)
print(math.isclose(before, math.fsum(p.energy for p in particles)))
walk = [0]
for _ in range(200):
    walk.append(walk[-1] + random.choice((-1, 1)))
print(min(walk), max(walk), walk[-1], Counter(random.choices("HT", weights=[3, 1], k=100)))
sample = [random.normalvariate(100, 15) for _ in range(300)]
fit = NormalDist.from_samples(sample)
print(round(fmean(sample), 2), round(stdev(sample), 2), round(fit.cdf(115), 3), random.sample(range(50), 5))
deck = list(range(10))
random.shuffle(deck)
print(deck, random.Random(1).randrange(1000))
