# What a path is to a program under the policy: names below its working directory.
# The policy's audit hook has the same notion (the shim's watch.c), and so has the
# daemon of the paths that callers send: only the whole name .. is a way up.

def make_names_of():
    getcwd, split, encode = posix.getcwd, str.split, str.encode

    def names_of(path):
        """The names that a path leads through, of exactly a str; None if it leads out
        of the working directory. Raises UnicodeEncodeError of one that has no form in
        UTF-8: files whose names are no text are not brought back."""
        encode(path, "utf-8")
        inner = path.removeprefix(getcwd() + "/")
        names = [name for name in split(inner, "/") if name not in ("", ".")]
        return None if inner[:1] == "/" or ".." in names else names

    return names_of


names_of = make_names_of()
