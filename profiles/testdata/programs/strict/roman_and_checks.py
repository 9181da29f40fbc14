"""Converters with hand-written checks, as a model tests itself."""
VALUES = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


def to_roman(n: int) -> str:
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"expected int, got {type(n).__name__}")
    if not 0 < n < 4000:
        raise ValueError(f"out of range: {n}")
    out = ""
    for value, symbol in VALUES:
        count, n = divmod(n, value)
        out += symbol * count
    return out


def from_roman(text: str) -> int:
    total, previous = 0, 0
    for c in reversed(text):
        value = dict((s, v) for v, s in VALUES)[c]
        total += value if value >= previous else -value
        previous = max(previous, value)
    return total


def is_palindrome(s):
    cleaned = "".join(c.lower() for c in s if c.isalnum())
    return cleaned == cleaned[::-1]


class Checks:
    def __init__(self):
        self.passed, self.failed = 0, []

    def equal(self, got, want, label=""):
        if got == want:
            self.passed += 1
        else:
            self.failed.append(f"{label}: got {got!r}, want {want!r}")

    def raises(self, kind, f, *args):
        try:
            f(*args)
        except kind as e:
            self.passed += 1
            return e
        self.failed.append(f"{f.__name__}{args} did not raise {kind.__name__}")


def run_tests():
    checks = Checks()
    for n in range(1, 4000, 37):
        checks.equal(from_roman(to_roman(n)), n, f"round trip {n}")
    print(checks.raises(ValueError, to_roman, 0), "|", checks.raises(TypeError, to_roman, "x"), "|", checks.raises(TypeError, to_roman, True))
    checks.equal(is_palindrome("A man, a plan, a canal: Panama"), True)
    checks.equal(to_roman(1994), "wrong", "on purpose")
    print(checks.passed, checks.failed)


print(__doc__, __name__)
run_tests()
