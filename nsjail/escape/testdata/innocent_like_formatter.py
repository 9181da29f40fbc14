# technique: a formatter and a template of the program's own
# family: innocents
# innocent: yes
import string

class Default(string.Formatter):
    def get_value(self, key, args, kwargs):
        if isinstance(key, str):
            return kwargs.get(key, f"<{key}>")
        return args[key] if key < len(args) else "?"

    def format_field(self, value, specification):
        if specification == "upper":
            return str(value).upper()
        return super().format_field(value, specification)

    def convert_field(self, value, conversion):
        return f"[{value}]" if conversion == "b" else super().convert_field(value, conversion)

class Percent(string.Template):
    delimiter = "%"
    idpattern = "[a-z]+"

f = Default()
found = [f.format("{0} {1} {name} {word:upper} {word!b} {n:.2f}", 1, word="x", n=1 / 3), Percent("%a and %%").substitute(a=1),
         string.Template("$who likes ${what}").safe_substitute(who="tim"), list(string.Formatter().parse("a{b.c:d}"))]
want = ["1 ? <name> X [x] 0.33", "1 and %", "tim likes ${what}", [("a", "b.c", "d", None)]]
(won if found == want else held)(found)
