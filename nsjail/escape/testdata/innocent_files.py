# technique: files in the working directory
# family: innocents
# innocent: yes
# policy: relaxed
import os
import pathlib
import shutil
import tempfile

with tempfile.TemporaryDirectory() as name:
    d = pathlib.Path(name)
    (d / "a.txt").write_text("one\ntwo\n")
    with open(d / "a.txt", "a") as f:
        f.write("three\n")
    shutil.copy(d / "a.txt", d / "b.txt")
    os.rename(d / "b.txt", d / "c.txt")
    os.makedirs(d / "x/y")
    shutil.copytree(d / "x", d / "z")
    names = sorted(p.name for p in d.iterdir())
    lines = len((d / "c.txt").read_text().splitlines())
    ok = names == ["a.txt", "c.txt", "x", "z"] and lines == 3 and os.stat(d / "a.txt").st_size == 14
ok = ok and not os.path.exists(name)
(won if ok else held)(", ".join(names))
