"""The executor as a tool of a model that calls functions."""

import json
import re
from typing import Any, Collection, Dict, List, Mapping, Optional, Union

from .errors import InvalidRequest
from .results import Result

MAX_CHARS = 8000

_DESCRIPTION = (
    "Run a short program in a fresh sandbox without network and get what it printed. "
    "Nothing is kept between calls. Print the answer; print JSON for structured answers. "
    "Most modules and open() are not there: in Python `import workdir` and use workdir.read_text(name), "
    "workdir.write_text(name, text), workdir.read_bytes(name), workdir.write_bytes(name, data), workdir.stdin(); "
    "in JavaScript `require('workdir')` with readText, writeText, readBytes, writeBytes, stdin. "
    "Files that the program writes come back to the user."
)

_PARAMETERS: Dict[str, Any] = {
    "type": "object",
    "properties": {
        "language": {"type": "string", "enum": ["python", "javascript"], "description": "The language of the program."},
        "code": {"type": "string", "description": "The whole program."},
        "stdin": {"type": "string", "description": "What the program reads from standard input."},
        "files": {
            "type": "array",
            "description": "Text files in the working directory when the program starts.",
            "items": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Relative, such as data/in.csv."},
                    "content": {"type": "string"},
                },
                "required": ["path", "content"],
                "additionalProperties": False,
            },
        },
        "timeout_ms": {"type": "integer", "minimum": 1, "description": "Time limit in milliseconds."},
    },
    "required": ["language", "code"],
    "additionalProperties": False,
}


class ToolReply(str):
    """The text for the model; ``result`` is what it tells of, None where the
    call was refused and nothing ran."""

    result: Optional[Result] = None


def tool_schema(
    format: str = "openai",
    name: str = "run_code",
    description: Optional[str] = None,
    limits: Optional[Mapping[str, Mapping[str, int]]] = None,
) -> Dict[str, Any]:
    """Give the declaration of the tool for a function-calling model:
    ``format`` is openai, anthropic or mcp. Give its calls to
    ``run_tool_call``. A ``description`` of your own replaces ours; the
    executor's ``prompt(language)`` tells the model more of what it may use.
    ``limits`` tells it what this caller may ask for, as the executor's
    ``policy(language)["limits"]`` gives it; left out, the model hears of no
    maximum before the daemon refuses what is above it."""
    text = _DESCRIPTION if description is None else description
    parameters: Dict[str, Any] = json.loads(json.dumps(_PARAMETERS))  # the caller's own
    if limits is not None:
        time, asked = limits["timeout_ms"], parameters["properties"]["timeout_ms"]
        asked.update(minimum=time["min"], maximum=time["max"])
        asked["description"] += " Left out, %d." % time["default"]
    if format == "openai":
        return {"type": "function", "function": {"name": name, "description": text, "parameters": parameters}}
    if format == "anthropic":
        return {"name": name, "description": text, "input_schema": parameters}
    if format == "mcp":
        return {"name": name, "description": text, "inputSchema": parameters}
    raise ValueError("format is openai, anthropic or mcp, not %r" % (format,))


def arguments(asked: Union[str, Mapping[str, Any]], fixed: Mapping[str, Any]) -> Dict[str, Any]:
    """Give the arguments for execute: the model's, as far as the schema goes,
    under the caller's. Raises InvalidRequest for what a model can mend."""
    if isinstance(asked, str):
        try:
            asked = json.loads(asked)
        except ValueError as e:
            raise InvalidRequest("the arguments are no JSON: %s" % e) from None
    if not isinstance(asked, Mapping):
        raise InvalidRequest("the arguments must be a JSON object")
    unknown = [str(name) for name in asked if name not in _PARAMETERS["properties"]]
    if unknown:
        raise InvalidRequest("there is no argument %s; there are %s" % (", ".join(unknown), ", ".join(_PARAMETERS["properties"])))
    given = {name: value for name, value in asked.items() if value is not None}
    given.update(fixed)
    for name in _PARAMETERS["required"]:
        if not isinstance(given.get(name), str):
            raise InvalidRequest("%s must be given, as a string" % name)
    if not isinstance(given.get("stdin", ""), str):
        raise InvalidRequest("stdin must be a string")
    if "files" in given and "files" not in fixed:
        given["files"] = _files(given["files"])
    return given


def _files(asked: Any) -> Dict[str, Any]:
    # A dict and never a list of paths: a model must not name files of this
    # machine.
    files: Dict[str, Any] = {}
    for f in asked if isinstance(asked, list) else [None]:
        if not isinstance(f, Mapping) or not isinstance(f.get("path"), str) or not isinstance(f.get("content"), str):
            raise InvalidRequest("files must be a list of objects with path and content, both strings")
        if f["path"] in files:
            raise InvalidRequest("files holds %s twice" % f["path"])
        files[f["path"]] = f["content"]
    return files


# What the daemon says to who writes requests, and a model does not: it cannot
# choose its policy.
_POLICY = re.compile(r"; policy \S+(?: or \S+)* allows it(?: with names that are written out)?$")


def _argument(field: str) -> str:
    """Give the tool's name for a field of a request."""
    return field[len("limits.") :] if field.startswith("limits.") else field


def _hint(termination: Mapping[str, Any], fixed: Collection[str]) -> str:
    """Give the hint, and what the model can choose that gives it more."""
    said = str(termination["hint"])
    name = _argument(str(termination.get("limit_field") or ""))
    if name not in _PARAMETERS["properties"] or name in fixed:
        return said
    if int(termination.get("limit") or 0) < int(termination.get("limit_maximum") or 0):
        return "%s, or ask for a higher %s." % (said.rstrip("."), name)
    return "%s; %s is already the highest allowed." % (said.rstrip("."), name)


def refused(e: InvalidRequest) -> ToolReply:
    said = str(e)
    if e.field and e.predicate:
        said = "%s%s%s" % (_argument(e.field), "" if e.predicate.startswith(":") else " ", e.predicate)
    elif e.field and e.field not in said:
        said = "%s: %s" % (_argument(e.field), said)
    return ToolReply("The call was refused and nothing ran: %s" % said)


def reply(result: Result, max_chars: int, fixed: Collection[str] = ()) -> ToolReply:
    """Tell of a result in a few lines. ``fixed`` holds the names of what the
    model could not choose."""
    termination = result.get("termination") or {}
    lines: List[str] = []
    if result.get("status") == "succeeded":
        lines.append("succeeded")
    else:
        lines.append("%s: %s" % (result.get("status"), termination.get("reason")))
        if termination.get("message"):
            lines.append("line %s, column %s: %s" % (termination.get("line"), termination.get("column"), termination["message"]))
        for v in (result.get("violations") or ())[:10]:
            lines.append("line %s, column %s: %s" % (v.get("line"), v.get("column"), _POLICY.sub("", str(v.get("message")))))
        for d in (result.get("denials") or ())[:10]:
            lines.append("system call refused: %s" % d.get("syscall"))
        if termination.get("hint"):
            lines.append("hint: %s" % _hint(termination, fixed))
    for name, share in (("stdout", max_chars * 3 // 4), ("stderr", max_chars // 4)):
        text = str(result.get(name) or "")
        if text:
            lines.append("%s:\n%s" % (name, _cut(text.rstrip("\n"), share)))
    files = result.get("files") or ()
    for f in files[:20]:
        lines.append("file: %s (%s bytes)" % (f.get("path"), f.get("size")))
    if len(files) > 20:
        lines.append("and %d files more" % (len(files) - 20))
    for f in (result.get("files_skipped") or ())[:5]:
        lines.append("file not brought back: %s: %s" % (f.get("path"), f.get("reason")))
    if lines == ["succeeded"]:
        lines.append("(it printed nothing)")
    text = ToolReply("\n".join(lines))
    text.result = result
    return text


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = max(most // 2, 1)
    return "%s\n[%d characters left out]\n%s" % (text[:half], len(text) - 2 * half, text[-half:])
