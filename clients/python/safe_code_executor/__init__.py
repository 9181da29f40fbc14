"""Run untrusted Python and JavaScript in the safe-exec daemon.

    from safe_code_executor import SafeCodeExecutor

    executor = SafeCodeExecutor()
    result = executor.execute(language="python", code="print(1 + 1)")
    result["status"]       # "succeeded"
    result["result_json"]  # 2

The daemon does all of the protecting. This package only carries requests to
its Unix socket and turns its refusals into exceptions; it uses the standard
library alone. Whatever the program itself does, crash and time-out included,
is a result and never an exception.
"""

from .client import DEFAULT_SOCKET, SafeCodeExecutor
from .errors import (
    Busy,
    ConnectionError,
    Forbidden,
    InternalError,
    InvalidRequest,
    NotFound,
    SafeExecError,
    SetupError,
    Timeout,
    Unavailable,
)

__all__ = [
    "DEFAULT_SOCKET",
    "SafeCodeExecutor",
    "SafeExecError",
    "InvalidRequest",
    "Forbidden",
    "NotFound",
    "Busy",
    "SetupError",
    "Unavailable",
    "InternalError",
    "ConnectionError",
    "Timeout",
]
