# technique: match statements with classes, mappings, sequences and guards
# family: innocents
# innocent: yes
class Node:
    __match_args__ = ("kind", "children")

    def __init__(self, kind, *children):
        self.kind, self.children = kind, children

def value(node):
    match node:
        case Node("number", [n]):
            return n
        case Node("add", [left, right]):
            return value(left) + value(right)
        case Node(kind="neg", children=(inner,)):
            return -value(inner)
        case {"op": "open", **rest} if rest:
            return len(rest)
        case [first, *_] | (first, ):
            return first
        case str() | int() as plain:
            return plain
        case _:
            return None

found = [value(Node("add", Node("number", 2), Node("neg", Node("number", 5)))), value({"op": "open", "exec": 1}), value([7, 8]), value("x"), value(None)]
(won if found == [-3, 1, 7, "x", None] else held)(found)
