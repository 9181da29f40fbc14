from enum import Enum, IntEnum, Flag, StrEnum, auto, unique


@unique
class Status(Enum):
    NEW = "new"
    ACTIVE = "active"
    CLOSED = "closed"

    def next(self):
        members = list(type(self))
        i = members.index(self)
        return members[min(i + 1, len(members) - 1)]

    @classmethod
    def parse(cls, text):
        try:
            return cls(text.lower())
        except ValueError:
            return None

    @property
    def label(self):
        return self.name.title()


class Level(IntEnum):
    DEBUG = 10
    INFO = 20
    ERROR = 40


class Perm(Flag):
    READ = auto()
    WRITE = auto()
    EXEC = auto()
    ALL = READ | WRITE | EXEC


class Colour(StrEnum):
    RED = auto()
    BLUE = auto()


class Planet(Enum):
    EARTH = (5.976e24, 6.37814e6)
    MARS = (6.421e23, 3.3972e6)

    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius

    @property
    def gravity(self):
        return 6.67300e-11 * self.mass / self.radius ** 2


print(Status.NEW.next().next().next(), Status.parse("ACTIVE"), Status.parse("x"), [s.label for s in Status], Status["NEW"])
print(Level.ERROR > Level.INFO, sorted(Level, reverse=True), Level(20), Level.DEBUG + 1)
print(Perm.READ | Perm.EXEC, Perm.WRITE in Perm.ALL, ~Perm.READ & Perm.ALL, bool(Perm.READ & Perm.WRITE))
print(Colour.RED, f"{Colour.BLUE:>6}", Colour.RED.upper(), {p.name: round(p.gravity, 2) for p in Planet})
match Status.ACTIVE:
    case Status.NEW:
        print("new")
    case Status.ACTIVE | Status.CLOSED as s:
        print("matched", s)
Animal = Enum("Animal", ["CAT", "DOG"])
print(list(Animal), Animal.CAT.value, isinstance(Animal.DOG, Animal))
