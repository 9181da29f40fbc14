"""The body of a request, from a caller's arguments."""

import base64
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from .errors import InvalidRequest

# What a request may bring along, in bytes; here so that a huge file is refused
# before it has been read.
MAX_INPUT_BYTES = 2 << 20

# A level by name, or {"level": ..., "deny": [...]}.
Policy = Union[str, Mapping[str, Any]]
# Text, bytes, or the path of a file on this machine.
Content = Union[str, bytes, bytearray, memoryview, "os.PathLike[str]"]
# Names with their contents, or paths of files on this machine, which keep
# their last part as their name.
Files = Union[Mapping[str, Content], Iterable[Union[str, "os.PathLike[str]"]]]


def build(
    language: str,
    code: str,
    policy: Optional[Policy] = None,
    timeout_ms: Optional[int] = None,
    max_memory_mb: Optional[int] = None,
    limits: Optional[Mapping[str, int]] = None,
    profile: Optional[str] = None,
    stdin: Optional[Union[str, bytes]] = None,
    args: Optional[Iterable[str]] = None,
    env: Optional[Mapping[str, str]] = None,
    files: Optional[Files] = None,
    collect: Optional[Iterable[str]] = None,
) -> Dict[str, Any]:
    """Build the body of a request. What is None is left to the daemon."""
    body: Dict[str, Any] = {"language": language, "code": code}
    if policy is not None:
        body["policy"] = policy if isinstance(policy, str) else dict(policy)
    if profile is not None:
        body["profile"] = profile
    if stdin is not None:
        body["stdin"] = stdin if isinstance(stdin, str) else _utf8(stdin)
    if args is not None:
        body["args"] = _strings("args", args)
    if env is not None:
        body["env"] = dict(env)
    if files is not None:
        body["files"] = _files(files)
    if collect is not None:
        body["collect"] = _strings("collect", collect)
    merged: Dict[str, Any] = dict(limits or {})
    for name, value in (("timeout_ms", timeout_ms), ("max_memory_mb", max_memory_mb)):
        if value is None:
            continue
        if name in merged:
            raise _wrong("limits." + name, "%s is given twice" % name)
        merged[name] = value
    if merged:
        body["limits"] = merged
    return body


def _strings(field: str, value: Iterable[str]) -> List[str]:
    if isinstance(value, (str, bytes)):
        raise _wrong(field, "%s is a list of strings, not one string" % field)
    return list(value)


def _utf8(stdin: bytes) -> str:
    try:
        return bytes(stdin).decode("utf-8")
    except UnicodeDecodeError:
        raise _wrong("stdin", "stdin must be UTF-8; send other bytes as a file") from None


def _files(files: Files) -> List[Dict[str, str]]:
    if isinstance(files, (str, bytes, os.PathLike)):
        raise _wrong("files", "files is a dict of names and contents, or a list of paths, not one path")
    sent: List[Dict[str, str]] = []
    if isinstance(files, Mapping):
        for name, content in files.items():
            sent.append(_file("files[%d]" % len(sent), name, content))
    else:
        for path in files:
            field = "files[%d]" % len(sent)
            if not isinstance(path, (str, os.PathLike)):
                raise _wrong(field, "a list of files holds paths; use a dict to send contents")
            sent.append(_file(field, os.path.basename(os.fspath(path)), _read(field, path)))
    return sent


def _file(field: str, name: str, content: Content) -> Dict[str, str]:
    if isinstance(content, str):
        return {"path": name, "content": content}
    if isinstance(content, os.PathLike):
        content = _read(field, content)
    if isinstance(content, (bytes, bytearray, memoryview)):
        return {"path": name, "content_base64": base64.b64encode(content).decode("ascii")}
    raise _wrong(field, "a file is str, bytes or a path, not %s" % type(content).__name__)


def _read(field: str, path: Union[str, "os.PathLike[str]"]) -> bytes:
    try:
        with open(path, "rb") as f:
            content = f.read(MAX_INPUT_BYTES + 1)
    except OSError as e:
        raise _wrong(field, "cannot read %s: %s" % (os.fspath(path), e.strerror)) from e
    if len(content) > MAX_INPUT_BYTES:
        raise _wrong(field, "%s has more than %d bytes, the most that a request may bring along" % (os.fspath(path), MAX_INPUT_BYTES))
    return content


def _wrong(field: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, problem={"field": field})
