"""The result of a run, and the files that came back with it."""

import base64
import binascii
import hashlib
import os
import stat
from typing import Any, Dict, List, NamedTuple, Optional, Union

from .errors import InternalError


class OutputFile(NamedTuple):
    """A file that the program left. ``path`` is as the program named it,
    below its working directory: whoever uses it as a path trusts the program;
    Result.save_files does not. ``text`` is None where it is not UTF-8."""

    path: str
    size: int
    sha256: str
    content: bytes
    text: Optional[str]


class Result(Dict[str, Any]):
    """The daemon's result object, a dict: ``result["status"]``."""

    @property
    def files(self) -> List[OutputFile]:
        """The files that came back, decoded. Raises InternalError where one is
        not what its size and digest say."""
        return [_decode(f) for f in self.get("files") or ()]

    def file(self, path: str) -> OutputFile:
        """The file of that name; KeyError where none came back, and why."""
        for f in self.files:
            if f.path == path:
                return f
        for skipped in self.get("files_skipped") or ():
            if skipped.get("path") == path:
                raise KeyError("%s did not come back: %s" % (path, skipped.get("reason")))
        raise KeyError("the program left no file %s" % path)

    def save_files(self, directory: Union[str, "os.PathLike[str]"], overwrite: bool = False) -> List[str]:
        """Write the files that came back below ``directory``, which is made
        where there is none, and give their paths. (POSIX only.)

        Names were chosen by a program that nobody trusts. One that is not
        plain (absolute, with a ``..``, with control characters) raises
        ValueError before anything is written, and no symbolic link below
        ``directory`` is followed (OSError). A file that is there already
        raises FileExistsError unless ``overwrite``.
        """
        files = self.files
        for f in files:
            if not _plain(f.path):
                raise ValueError("the program named a file %r, which is not written" % f.path)
        os.makedirs(directory, exist_ok=True)
        return [_save(directory, f, overwrite) for f in files]


def _decode(f: Dict[str, Any]) -> OutputFile:
    try:
        if f.get("content_base64") is not None:
            content, text = base64.b64decode(f["content_base64"], validate=True), None
        else:
            text = f.get("text") or ""
            content = text.encode("utf-8")
        file = OutputFile(f["path"], f["size"], f["sha256"], content, text)
        if not isinstance(file.path, str) or not isinstance(file.sha256, str):
            raise TypeError("path and sha256 are strings")
    except (KeyError, TypeError, AttributeError, UnicodeEncodeError, binascii.Error) as e:
        raise InternalError("the result holds a file that cannot be read: %r" % e) from e
    if file.size != len(content) or file.sha256.lower() != hashlib.sha256(content).hexdigest():
        raise InternalError("the file %r is not what its size and digest say" % file.path)
    return file


def _plain(path: str) -> bool:
    parts = path.split("/")
    return all(p not in ("", ".", "..") for p in parts) and not any(c < " " or c in "\\:\x7f" for c in path)


_DIR = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def _save(directory: Union[str, "os.PathLike[str]"], f: OutputFile, overwrite: bool) -> str:
    path = os.path.join(os.fspath(directory), *f.path.split("/"))
    try:
        _write(directory, f, overwrite)
    except OSError as e:
        # The kernel was given one part of the path alone.
        why = "%s (overwrite=True replaces it)" % e.strerror if isinstance(e, FileExistsError) and not overwrite else e.strerror
        raise type(e)(e.errno, why, path) from e
    return path


def _write(directory: Union[str, "os.PathLike[str]"], f: OutputFile, overwrite: bool) -> None:
    *parents, name = f.path.split("/")
    at = os.open(directory, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        for parent in parents:
            try:
                os.mkdir(parent, dir_fd=at)
            except FileExistsError:
                pass
            below = os.open(parent, os.O_RDONLY | _DIR, dir_fd=at)
            os.close(at)
            at = below
        if overwrite:
            try:
                if not stat.S_ISDIR(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
                    os.unlink(name, dir_fd=at)
            except FileNotFoundError:
                pass
        with os.fdopen(os.open(name, _NEW, 0o644, dir_fd=at), "wb") as out:
            out.write(f.content)
    finally:
        os.close(at)
