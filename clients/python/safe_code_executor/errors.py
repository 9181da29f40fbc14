"""What can go wrong between a caller and the daemon.

A program that fails is no error: its result says so.
"""

import builtins
import math
from typing import Any, Dict, Optional


class SafeExecError(Exception):
    """The base of all errors of this package.

    ``code`` is the daemon's word for the kind of error, ``status`` the HTTP
    status (None where no reply came), ``request_id`` finds the request in the
    daemon's log, and ``problem`` is the daemon's whole answer.
    """

    def __init__(self, message: str, status: Optional[int] = None, problem: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.problem: Dict[str, Any] = problem or {}
        self.status = status
        self.code: Optional[str] = self.problem.get("code")
        self.request_id: Optional[str] = self.problem.get("request_id")


class InvalidRequest(SafeExecError, ValueError):
    """The request is wrong. ``field`` says where (``limits.timeout_ms``),
    ``predicate`` what the message says of it, behind its name, if it begins
    with that, ``value`` what it held, ``maximum`` which ceiling it passed,
    ``minimum`` what it fell short of, both in ``unit`` where the field's name
    has none."""

    def __init__(self, message: str, status: Optional[int] = None, problem: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message, status, problem)
        self.field: Optional[str] = self.problem.get("field")
        self.predicate: Optional[str] = self.problem.get("predicate")
        self.value: Any = self.problem.get("value")
        self.maximum: Optional[int] = self.problem.get("maximum")
        self.minimum: Optional[int] = self.problem.get("minimum")
        self.unit: Optional[str] = self.problem.get("unit")


class Forbidden(InvalidRequest):
    """This caller may not ask for that, or his token is unknown."""


class NotFound(SafeExecError):
    """There is no such job of this caller, or it has been forgotten."""


class Busy(SafeExecError):
    """The daemon, or this caller's share of it, has no room now; nothing ran. ``retry_after`` is in seconds, ``reason`` says what
    was full."""

    def __init__(self, message: str, status: Optional[int] = None, problem: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message, status, problem)
        self.retry_after: float = _seconds(self.problem.get("retry_after")) or 1.0
        self.reason: Optional[str] = self.problem.get("reason")


class SetupError(SafeExecError):
    """The daemon could not make or prove a jail, so nothing ran. ``step`` is
    the step that failed."""

    def __init__(self, message: str, status: Optional[int] = None, problem: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message, status, problem)
        self.step: Optional[str] = self.problem.get("step")


class Unavailable(SafeExecError):
    """The daemon is shutting down, or cannot answer now. ``retry_after`` is in
    seconds, None where it did not say."""

    def __init__(self, message: str, status: Optional[int] = None, problem: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message, status, problem)
        self.retry_after: Optional[float] = _seconds(self.problem.get("retry_after"))


class InternalError(SafeExecError):
    """The daemon failed, or what answered is no safe-exec daemon."""


class ConnectionError(SafeExecError, builtins.ConnectionError):
    """No daemon answers, or it hung up. ``sent`` is False where the request
    surely did not reach it."""

    def __init__(self, message: str, status: Optional[int] = None, problem: Optional[Dict[str, Any]] = None, sent: bool = True) -> None:
        super().__init__(message, status, problem)
        self.sent = sent


class Timeout(SafeExecError, builtins.TimeoutError):
    """The daemon did not answer in time. The run, if there was one, is killed
    when the connection closes."""


# What a daemon may ask to wait at most, in seconds; no clock takes any number.
_LONGEST_RETRY_S = 24 * 3600.0


def _seconds(value: Any) -> Optional[float]:
    """Read a time to wait; None is what is none."""
    try:
        seconds = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return min(seconds, _LONGEST_RETRY_S) if seconds > 0 and not math.isnan(seconds) else None


_BY_CODE = {
    "invalid": InvalidRequest,
    "too_large": InvalidRequest,
    "forbidden": Forbidden,
    "not_found": NotFound,
    "conflict": InvalidRequest,
    "busy": Busy,
    "setup_error": SetupError,
    "unavailable": Unavailable,
    "internal": InternalError,
}

_BY_STATUS = {401: Forbidden, 403: Forbidden, 404: NotFound, 429: Busy, 503: Unavailable}


def from_problem(status: int, problem: Dict[str, Any]) -> SafeExecError:
    """Make the exception for a reply. A reply without a code that we know
    (a proxy's, say) goes by its status."""
    kind = _BY_CODE.get(str(problem.get("code")))
    if kind is None:
        kind = _BY_STATUS.get(status)
    if kind is None:
        kind = InvalidRequest if 400 <= status < 500 else InternalError
    message = problem.get("detail") or "the daemon answered with HTTP status %d" % status
    if status == 401:
        message += "; give it as token, or in $SAFE_EXEC_TOKEN"
    if problem.get("step"):
        message = "%s (step %s)" % (message, problem["step"])
    return kind(message, status, problem)
