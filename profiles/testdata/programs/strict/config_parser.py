import re
from collections import ChainMap
from textwrap import dedent

TEXT = dedent("""
    # service settings
    name = demo
    [server]
    host = 0.0.0.0   ; all
    port = 8080
    debug = yes
    [paths]
    root = /srv/${name}
    logs = ${root}/logs
    """)
SECTION, PAIR = re.compile(r"\[(?P<name>[^\]]+)\]"), re.compile(r"(?P<key>\w+)\s*=\s*(?P<value>.*?)\s*(?:[;#].*)?$")


def convert(value):
    for kind, pattern in ((int, r"[-+]?\d+"), (float, r"[-+]?\d+\.\d+")):
        if re.fullmatch(pattern, value):
            return kind(value)
    return {"yes": True, "no": False, "": None}.get(value.lower(), value)


def parse(text):
    sections, current = {"": {}}, ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line[0] in "#;":
            continue
        if m := SECTION.fullmatch(line):
            sections[current := m["name"]] = {}
        elif m := PAIR.fullmatch(line):
            scope = ChainMap(sections[current], sections[""])
            value = re.sub(r"\$\{(\w+)\}", lambda r: str(scope[r[1]]), m["value"])
            sections[current][m["key"]] = convert(value)
        else:
            raise SyntaxError(f"line {number}: {line!r}")
    return sections


config = parse(TEXT)
print(config)
defaults = {"host": "localhost", "timeout": 30}
merged = ChainMap(config["server"], defaults)
print(dict(merged), merged["timeout"], merged.maps[1] is defaults)
try:
    parse("a = 1\nnonsense")
except SyntaxError as e:
    print(e.msg)
print({**defaults, "port": 1} | {"host": "h"}, [k for k, v in config["server"].items() if isinstance(v, bool)])
