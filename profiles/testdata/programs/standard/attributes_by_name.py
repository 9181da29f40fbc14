class Settings:
    debug = False
    level = 3

    def __init__(self, **overrides):
        for name, value in overrides.items():
            if name == "debug":
                setattr(self, "debug", value)
            else:
                self.__dict__[name] = value


s = Settings(debug=True, theme="dark")
print(getattr(s, "debug"), getattr(s, "missing", "default"), getattr(s, "theme"), hasattr(s, "level"), hasattr(s, "nothing"))
setattr(s, "level", 9)
print(s.level, Settings.level, sorted(vars(s)), isinstance(getattr(s, "level"), int))
try:
    getattr(s, "absent")
except AttributeError as e:
    print(e)
del s.theme
print(getattr(s, "theme", None))
print([getattr(x, "real") for x in (1, 2.5, True)], getattr("abc", "upper")())
