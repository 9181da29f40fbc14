# technique: the program's own functions with the names of blocked ones
# family: innocents
# innocent: yes
def compile(tokens):
    return [("push", t) if isinstance(t, int) else ("call", t) for t in tokens]

def eval(program):
    stack = []
    for kind, value in program:
        stack.append(value if kind == "push" else stack.pop() + stack.pop())
    return stack.pop()

class File:
    opened = 0

    def open(self):
        File.opened += 1
        return self

def exec(x, *, open=False):
    return (x, open)

vars_ = {"setattr": 1}
ok = eval(compile([1, 2, "+"])) == 3 and File().open().open().opened == 2 and exec(1, open=True) == (1, True) and vars_["setattr"] == 1
(won if ok else held)(eval(compile([1, 2, "+"])))
