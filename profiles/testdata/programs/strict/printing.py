class Table:
    def __init__(self, headers, rows):
        self.headers, self.rows = headers, rows

    def __str__(self):
        widths = [max(len(str(x)) for x in column) for column in zip(self.headers, *self.rows)]
        line = "+".join("-" * (w + 2) for w in widths)
        body = [" | ".join(f"{cell!s:{'>' if isinstance(cell, (int, float)) else '<'}{w}}" for cell, w in zip(row, widths)) for row in [self.headers, *self.rows]]
        return f"+{line}+\n" + "\n".join(f"| {b} |" for b in body) + f"\n+{line}+"


print(Table(["name", "qty", "price"], [["tea", 3, 2.5], ["coffee beans", 12, 17.0]]))
print("a", "b", sep="-", end="!\n")
print(*range(3), sep=", ", flush=True)
print("%-10s|%5d|%08.3f|%x|%r|%c|%%" % ("left", 42, 3.14159, 255, "q", 65))
print("{:<8}|{:^8}|{:>8}|{:+d}|{:,}|{:e}|{:b}".format("l", "m", "r", 5, 1234567, 12345.678, 10))
name, values, nested = "x", [1.5, 2.25], {"k": {"j": [10, 20]}}
print(f"{name!r:>5} {values[1]:.1f} {nested['k']['j'][-1]:03d} {sum(values):{'.3f'}} {name=} {len(values) = }")
print(f"{'multi' 'part'} {(lambda x: x * 2)(4)} {{literal}} {'a' if values else 'b'} {1_000_000:_} {True:d} {3 / 4:.0%}")
print(repr("tab\t'quote'"), ascii("é"), "\u2713", "\N{GREEK SMALL LETTER PI}", "line\\end", r"raw\n", b"bytes\x00", chr(9731), ord("a"))
print("abc".center(9, "*"), "x".zfill(3), "a-b_c".replace("-", "_").split("_"), "Mixed".swapcase(), "one two".title(), "  pad ".strip(), "ab" * 3)
print("hello"[1:4], "hello"[::-1], "hello".find("l"), "hello".index("o"), "hello".count("l"), "l" in "hello", "a,b,,c".split(","), "k=v=w".partition("="), "\n".join(["p", "q"]))
print(str(1.0), repr(1e100), 1e16, 123456789.123456789, 1 / 3, float("nan"), -float("inf"), 10 ** 25, 0.1 + 0.7, round(0.5), int("  12 "), float(" 1e-2 "))
print(input.__name__, print.__name__, len.__name__, type(print).__name__, isinstance(print, object), dir(object())[-1], sorted(vars(type("T", (), {"a": 1})))[-1:])
