class Base:
    def __init__(self, **kwargs):
        self.steps = ["Base"]
        for key, value in kwargs.items():
            self.__dict__[key] = value


class Loud(Base):
    def __init__(self, volume=10, **kwargs):
        super().__init__(**kwargs)
        self.steps.append(f"Loud {volume}")

    def say(self, text):
        return text.upper() + "!"


class Polite(Base):
    def __init__(self, title="Dr", **kwargs):
        super().__init__(**kwargs)
        self.steps.append(f"Polite {title}")

    def say(self, text):
        return f"please, {text}"


class Person(Loud, Polite):
    def say(self, text):
        return super().say(text) + " " + Polite.say(self, text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        print("bye")


p = Person(volume=3, title="Ms", name="Ann")
print(p.steps, p.say("hello"), p.name)
with p as same:
    print(same is p)
print([c.__name__ for c in (Person, Loud, Polite, Base) if isinstance(p, c)])


class Temperature:
    def __init__(self, celsius):
        self._c = celsius

    fahrenheit = property(lambda self: self._c * 9 / 5 + 32, lambda self, f: self.__init__((f - 32) * 5 / 9), doc="in °F")

    def __iadd__(self, n):
        self._c += n
        return self

    def __neg__(self):
        return Temperature(-self._c)

    def __eq__(self, other):
        return isinstance(other, Temperature) and abs(self._c - other._c) < 1e-9

    __hash__ = None


t = Temperature(100)
t.fahrenheit = 50
t += 5
print(t.fahrenheit, (-t).fahrenheit, t == Temperature(15), Temperature.fahrenheit.__doc__)
