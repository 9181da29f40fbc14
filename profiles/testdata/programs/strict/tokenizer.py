import re
from typing import Iterator, NamedTuple


class Token(NamedTuple):
    kind: str
    value: str
    position: int


SPEC = [("NUMBER", r"\d+(?:\.\d*)?"), ("NAME", r"[A-Za-z_]\w*"), ("POWER", r"\*\*"), ("OP", r"[+\-*/()=,]"), ("SKIP", r"\s+"), ("BAD", r".")]
MASTER = re.compile("|".join(f"(?P<{k}>{p})" for k, p in SPEC))


def tokenize(text: str) -> Iterator[Token]:
    for m in MASTER.finditer(text):
        kind = m.lastgroup
        if kind == "BAD":
            raise SyntaxError(f"unexpected {m.group()!r} at {m.start()}")
        if kind != "SKIP":
            yield Token(kind, m.group(), m.start())


class Parser:
    """Recursive descent: expression, term, power, atom."""

    def __init__(self, text, variables=None, functions=None):
        self.tokens = list(tokenize(text)) + [Token("END", "", len(text))]
        self.at, self.variables, self.functions = 0, variables or {}, functions or {"max": max, "abs": abs}

    def take(self, *values):
        token = self.tokens[self.at]
        if not values or token.value in values:
            self.at += 1
            return token
        return None

    def expression(self):
        value = self.term()
        while token := self.take("+", "-"):
            right = self.term()
            value = value + right if token.value == "+" else value - right
        return value

    def term(self):
        value = self.power()
        while token := self.take("*", "/"):
            right = self.power()
            value = value * right if token.value == "*" else value / right
        return value

    def power(self):
        base = self.atom()
        return base ** self.power() if self.take("**") else base

    def atom(self):
        token = self.take()
        if token.kind == "NUMBER":
            return float(token.value) if "." in token.value else int(token.value)
        if token.value == "-":
            return -self.power()
        if token.value == "(":
            value = self.expression()
            if not self.take(")"):
                raise SyntaxError(f"missing ) at {self.tokens[self.at].position}")
            return value
        if token.kind == "NAME" and self.take("("):
            arguments = [self.expression()]
            while self.take(","):
                arguments.append(self.expression())
            self.take(")")
            return self.functions[token.value](*arguments)
        if token.kind == "NAME":
            return self.variables[token.value]
        raise SyntaxError(f"unexpected {token.kind} at {token.position}")


for text in ("1 + 2 * 3", "(1 + 2) * 3", "2 ** 3 ** 2", "-x ** 2 + max(1, abs(-7), y)", "8 / 4 / 2", "(1", "2 $ 3", "*"):
    try:
        print(text, "=", Parser(text, {"x": 3, "y": 2.5}).expression())
    except (SyntaxError, KeyError) as e:
        print(text, "!", e)
