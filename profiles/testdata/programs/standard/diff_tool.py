import difflib
import textwrap
import unicodedata
import zlib
import uuid

old = textwrap.dedent("""\
    def area(r):
        return 3.14 * r * r

    print(area(2))
    """).splitlines(keepends=True)
new = textwrap.dedent("""\
    from math import pi

    def area(r):
        return pi * r ** 2

    print(area(2))
    """).splitlines(keepends=True)
print("".join(difflib.unified_diff(old, new, "old.py", "new.py")), end="")
matcher = difflib.SequenceMatcher(None, "private Thread", "private volatile Thread")
print(round(matcher.ratio(), 3), [tag for tag, *_ in matcher.get_opcodes()])
print(difflib.get_close_matches("sesion", ["session", "season", "mission", "lesson"], n=2))


def slugify(text):
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


print(slugify("Crème brûlée — déjà vu!"), unicodedata.name("€"), unicodedata.category("A"), [unicodedata.east_asian_width(c) for c in "aＡ"])
text = ("the rain in spain " * 30).encode()
packed = zlib.compress(text, 9)
print(len(packed) < len(text) // 5, zlib.decompress(packed) == text, zlib.crc32(b"hello"), zlib.adler32(b"hello"))
print(uuid.uuid5(uuid.NAMESPACE_DNS, "example.org"), uuid.UUID(int=5).hex, uuid.uuid4().version)
