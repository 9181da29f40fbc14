import cmath
import math


def fft(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = fft(x[0::2]), fft(x[1::2])
    twiddled = [cmath.exp(-2j * cmath.pi * k / n) * odd[k] for k in range(n // 2)]
    return [even[k] + twiddled[k] for k in range(n // 2)] + [even[k] - twiddled[k] for k in range(n // 2)]


def mandelbrot(c, limit=30):
    z = 0
    for n in range(limit):
        z = z * z + c
        if abs(z) > 2:
            return n
    return limit


signal = [math.sin(2 * math.pi * 2 * t / 8) for t in range(8)]
print([round(abs(v), 6) for v in fft(signal)])
for y in range(-4, 5):
    print("".join(" .:-=+*#%@"[min(mandelbrot(complex(x / 12, y / 4)) // 3, 9)] for x in range(-24, 10)))
print(cmath.polar(1 + 1j), cmath.sqrt(-4), cmath.phase(-1), cmath.isclose(cmath.exp(1j * cmath.pi), -1), (2 + 3j) ** 2)
roots = [cmath.rect(1, 2 * cmath.pi * k / 3) for k in range(3)]
print([f"{r.real:+.3f}{r.imag:+.3f}j" for r in roots], abs(sum(roots)) < 1e-12)
