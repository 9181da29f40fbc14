"""What happens while a program runs: server-sent events (HTML standard,
section 9.2), read piece by piece."""

import json
import random
import re
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from .calls import MAX_REPLY_BYTES
from .errors import Busy, InternalError, SafeExecError, Unavailable, from_problem
from .results import Result

# The daemon says something at least every 15 seconds; three of these missed,
# and the connection is taken for dead.
IDLE_S = 45.0


class Event(NamedTuple):
    """One event. ``kind`` is queued, started, stdout, stderr, denial, result
    or done; ``data`` what it tells: ``{"text": ...}`` of stdout and stderr, a
    Result of result. ``id`` is where ``job.events(last_event_id=...)`` goes on."""

    kind: str
    data: Dict[str, Any]
    id: str


class Parser:
    """Turns bytes into events. Raises InternalError for what is none."""

    def __init__(self) -> None:
        self._kept: List[bytes] = []  # a line that has not ended
        self._size = 0  # of the kept line and of the event's data
        self._after_cr = False
        self._kind, self._id = "", ""
        self._data: List[str] = []

    def feed(self, piece: bytes) -> Iterator[Event]:
        if self._after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
        self._after_cr = piece.endswith(b"\r")
        self._size += len(piece)
        if self._size > MAX_REPLY_BYTES:
            raise InternalError("an event is too large")
        self._kept.append(piece)
        if b"\n" not in piece and b"\r" not in piece:
            return
        *lines, rest = re.split(rb"\r\n|\n|\r", b"".join(self._kept))
        self._kept = [rest]
        for line in lines:
            event = self._line(line)
            if event is not None:
                yield event
        if not self._data:
            self._size = len(rest)

    def _line(self, line: bytes) -> Optional[Event]:
        if not line:
            return self._end()
        name, _, value = line.partition(b":")
        text = value[1:] if value.startswith(b" ") else value
        if name == b"data":
            self._data.append(text.decode("utf-8", "replace"))
        elif name == b"event":
            self._kind = text.decode("utf-8", "replace")
        elif name == b"id" and b"\0" not in text:
            self._id = text.decode("utf-8", "replace")
        return None  # a comment keeps the connection alive; other fields mean nothing

    def _end(self) -> Optional[Event]:
        kind, lines = self._kind, self._data
        self._kind, self._data = "", []
        if not lines:
            return None
        try:
            data = json.loads("\n".join(lines))
        except ValueError:
            data = None
        if not isinstance(data, dict):
            raise InternalError("the event %r holds no JSON object" % kind)
        if kind == "error":
            raise from_problem(int(data.get("status") or 500), data)
        return Event(kind, Result(data) if kind == "result" else data, self._id)


# How often in a row a connection may break without anything new, and the
# longest pause in between, in seconds.
_BREAKS = 8
_LONGEST_PAUSE_S = 10.0


def asked_for(error: SafeExecError) -> Optional[float]:
    """Give the seconds that the daemon asked to wait (Retry-After, RFC 9110,
    section 10.2.3), None if it did not."""
    return error.retry_after if isinstance(error, (Busy, Unavailable)) else None


class Backoff:
    """How long to wait before the next try."""

    def __init__(self) -> None:
        self._breaks = 0

    def reset(self) -> None:
        self._breaks = 0

    def pause(self, error: SafeExecError) -> float:
        """Give the seconds to wait before the next try; raise ``error`` where
        there have been enough. A daemon that says when to come back is there:
        that is no break, and the wait is never shorter than it said."""
        asked = asked_for(error)
        if asked is not None:
            return asked * random.uniform(1.0, 1.25)
        self._breaks += 1
        if self._breaks > _BREAKS:
            raise error
        return min(0.1 * 2.0 ** (self._breaks - 1), _LONGEST_PAUSE_S) * random.uniform(0.75, 1.25)


class Resume(Backoff):
    """Where the stream of a job goes on after its connection broke."""

    def __init__(self, last: Optional[str]) -> None:
        super().__init__()
        self.last = last

    def new(self, event: Event) -> bool:
        """Say whether the event has not been seen. A daemon that started again
        may begin at the start; a verdict is told whatever its number is."""
        old = _order(event.id), _order(self.last)
        if event.kind not in ("result", "done") and None not in old and old[0] <= old[1]:  # type: ignore[operator]
            return False
        self.reset()
        self.last = event.id or self.last
        return True


def _order(text: Optional[str]) -> Optional[Tuple[int, int]]:
    attempt, _, n = (text or "").partition(".")
    if attempt.isdecimal() and n.isdecimal():
        return int(attempt), int(n)
    return None
