from itertools import zip_longest


class Polynomial:
    """Coefficients from the constant term up."""

    def __init__(self, *coefficients):
        c = list(coefficients)
        while len(c) > 1 and c[-1] == 0:
            c.pop()
        self.c = tuple(c) or (0,)

    def __call__(self, x):
        result = 0
        for a in reversed(self.c):
            result = result * x + a
        return result

    def __add__(self, other):
        return Polynomial(*(a + b for a, b in zip_longest(self.c, other.c, fillvalue=0)))

    def __sub__(self, other):
        return self + -other

    def __neg__(self):
        return Polynomial(*(-a for a in self.c))

    def __mul__(self, other):
        if not isinstance(other, Polynomial):
            return Polynomial(*(a * other for a in self.c))
        out = [0] * (len(self.c) + len(other.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(other.c):
                out[i + j] += a * b
        return Polynomial(*out)

    __rmul__ = __mul__

    def __pow__(self, n):
        result = Polynomial(1)
        for _ in range(n):
            result *= self
        return result

    def __divmod__(self, d):
        quotient, rest = Polynomial(0), self
        while len(rest.c) >= len(d.c) and rest.c != (0,):
            shift, factor = len(rest.c) - len(d.c), rest.c[-1] // d.c[-1]
            term = Polynomial(*[0] * shift, factor)
            quotient, rest = quotient + term, rest - term * d
        return quotient, rest

    def __eq__(self, other):
        return isinstance(other, Polynomial) and self.c == other.c

    def __hash__(self):
        return hash(self.c)

    def __len__(self):
        return len(self.c) - 1

    def __getitem__(self, i):
        return self.c[i]

    def __str__(self):
        terms = [(a, n) for n, a in enumerate(self.c) if a][::-1]
        text = " ".join(f"{'-' if a < 0 else '+'} {'' if abs(a) == 1 and n else abs(a)}{'x' if n else ''}{f'^{n}' if n > 1 else ''}" for a, n in terms)
        return text.removeprefix("+ ") or "0"


p, q = Polynomial(-1, 0, 1), Polynomial(1, 1)
print(p, "|", q ** 3, "|", p * q - 2 * q, "|", p(3), len(p), list(p), p[0])
quotient, rest = divmod(p, q)
print(quotient, "rest", rest, quotient * q + rest == p, len({p, Polynomial(-1, 0, 1, 0)}))
