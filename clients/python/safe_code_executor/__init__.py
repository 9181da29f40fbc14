"""Run untrusted Python and JavaScript in the safe-exec daemon.

    from safe_code_executor import SafeCodeExecutor

    executor = SafeCodeExecutor()
    result = executor.execute(language="python", code="print(1 + 1)")
    result["status"]       # "succeeded"
    result["result_json"]  # 2

The daemon does all of the protecting. This package only carries requests to
it and turns its refusals into exceptions; it uses the standard library alone.
Whatever the program itself does, crash and time-out included, is a result and
never an exception. AsyncSafeCodeExecutor is the same for asyncio.
"""

from .address import DEFAULT_SOCKET
from .aio import AsyncJob, AsyncSafeCodeExecutor
from .client import Job, SafeCodeExecutor
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
from .events import Event
from .results import OutputFile, Result
from .tools import ToolReply, tool_schema

__all__ = [
    "DEFAULT_SOCKET",
    "SafeCodeExecutor",
    "Job",
    "AsyncSafeCodeExecutor",
    "AsyncJob",
    "Event",
    "Result",
    "OutputFile",
    "ToolReply",
    "tool_schema",
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
