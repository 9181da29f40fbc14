# The module workdir: how a program that has no open reads and writes the files of
# its working directory, its input, its arguments and its variables. What it uses is
# in closures, as with the guards; no file object and no descriptor leaves it.

OUTSIDE = "a program has the files of its working directory only, by relative paths"


def make_workdir():
    open_file, read, close, unlink, mkdir = posix.open, posix.read, posix.close, posix.unlink, posix.mkdir
    scandir, new_view, write, size = posix.scandir, memoryview, write_whole, str.__len__
    encode, decode, replace = str.encode, bytes.decode, str.replace
    rest_of_input = sys.stdin.read
    # A program may bind these names.
    error, text, names_in, kind_of, subclass = OSError, text_of, names_of, type, issubclass
    whole_file = posix.O_NOFOLLOW | posix.O_CLOEXEC
    directory = whole_file | posix.O_RDONLY | posix.O_DIRECTORY
    new_file = whole_file | posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC

    def parts_of(path):
        if not subclass(kind_of(path), str):
            raise TypeError(f"path must be str, not {kind_of(path).__name__}")
        whole = text(path)
        parts = names_in(whole)
        if parts is None:
            raise error(1, OUTSIDE, whole)  # EPERM
        if not parts:
            raise error(21, "Is a directory", whole)  # EISDIR
        return whole, parts

    def walk(names):
        """A descriptor of a directory, reached without following a link."""
        at = open_file(".", directory)
        try:
            for name in names:
                below = open_file(name, directory, dir_fd=at)
                at, above = below, at
                close(above)
        except BaseException:
            close(at)
            raise
        return at

    def at_path(path, use):
        """What use gives for the directory that a path leads to and its last name."""
        whole, parts = parts_of(path)
        try:
            above = walk(parts[:-1])
            try:
                return use(above, parts[-1])
            finally:
                close(above)
        except error as failed:
            raise error(failed.errno, failed.strerror, whole) from None

    def make_directories(path):
        whole, parts = parts_of(path)
        for depth in range(1, len(parts)):
            try:
                mkdir("/".join(parts[:depth]))
            except FileExistsError:
                pass  # or no directory, which the walk will say
            except error as failed:
                raise error(failed.errno, failed.strerror, whole) from None

    def read_bytes(path):
        """read_bytes(path) -> bytes: the content of a file of the working directory."""
        def use(above, name):
            fd, parts = open_file(name, whole_file, dir_fd=above), []
            try:
                while part := read(fd, 1 << 20):
                    parts.append(part)
            finally:
                close(fd)
            return b"".join(parts)
        return at_path(path, use)

    def read_text(path, encoding="utf-8"):
        """read_text(path, encoding="utf-8") -> str: the text of a file, its lines ending in \\n."""
        found = decode(read_bytes(path), encoding)
        return replace(replace(found, "\r\n", "\n"), "\r", "\n")

    def write_bytes(path, data):
        """write_bytes(path, data) -> int: makes or replaces a file, and the directories that lead to it."""
        with new_view(data) as given, given.cast("B") as view:
            make_directories(path)

            def use(above, name):
                fd = open_file(name, new_file, 0o666, dir_fd=above)
                try:
                    write(fd, view)
                finally:
                    close(fd)
                return len(view)
            return at_path(path, use)

    def write_text(path, text, encoding="utf-8"):
        """write_text(path, text, encoding="utf-8") -> int: write_bytes for a text."""
        if not subclass(kind_of(text), str):
            raise TypeError(f"text must be str, not {kind_of(text).__name__}")
        data = encode(text, encoding)
        write_bytes(path, data)
        return size(text)

    def list_files():
        """list_files() -> list: the paths of all files of the working directory and below it, sorted."""
        found, todo = [], [()]
        while todo:
            names = todo.pop()
            at = walk(names)
            try:
                for entry in scandir(at):
                    if entry.is_dir(follow_symlinks=False):
                        todo.append((*names, entry.name))
                    elif entry.is_file(follow_symlinks=False):
                        found.append("/".join((*names, entry.name)))
            finally:
                close(at)
        return sorted(found)

    def remove(path):
        """remove(path): removes a file."""
        at_path(path, lambda above, name: unlink(name, dir_fd=above))

    def stdin():
        """stdin() -> str: all of the input that has not been read yet."""
        return rest_of_input()

    made = ModuleType("workdir", "The files of the working directory, the input, the arguments and the variables of a program.")
    for function in (read_text, read_bytes, write_text, write_bytes, list_files, remove, stdin):
        function.__module__, function.__qualname__ = "workdir", function.__name__
        made.__dict__[function.__name__] = function
    made.args, made.env = [], {}  # filled when the job is there
    return made


WORKDIR = sys.modules["workdir"] = make_workdir()
