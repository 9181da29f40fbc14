"""The executor: requests in, results out."""

import os
import time
import urllib.parse
from typing import Any, Dict, Mapping, Optional, Union

from . import transport
from .errors import InternalError, InvalidRequest, Timeout, from_problem

DEFAULT_SOCKET = "/run/safe-exec/safe-exec.sock"

# The largest time limit a daemon grants unless its operator raised it; used
# where a request leaves the limit to the daemon.
_LONGEST_RUN_S = 30.0
# What is spent beside the program itself: waiting for a slot, making the jail,
# taking it down.
_MARGIN_S = 20.0
# One long poll; the daemon allows up to 60 seconds.
_POLL_S = 25.0

_UNFINISHED = ("queued", "running")

# A level by name, or {"level": ..., "deny": [...]}.
_Policy = Union[str, Mapping[str, Any]]


class SafeCodeExecutor:
    """Runs programs in the safe-exec daemon. Safe to share between threads:
    every call has a connection of its own.

    ``socket_path`` is the daemon's Unix socket; left out, it is
    ``$SAFE_EXEC_SOCKET`` or ``/run/safe-exec/safe-exec.sock``.
    ``margin`` is the time in seconds that a call may take beyond the
    program's own limit before it raises Timeout.
    """

    def __init__(self, socket_path: Optional[str] = None, margin: float = _MARGIN_S) -> None:
        self.socket_path = socket_path or os.environ.get("SAFE_EXEC_SOCKET") or DEFAULT_SOCKET
        self.margin = margin

    def execute(
        self,
        language: str,
        code: str,
        policy: Optional[_Policy] = None,
        timeout_ms: Optional[int] = None,
        max_memory_mb: Optional[int] = None,
        limits: Optional[Mapping[str, int]] = None,
        profile: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Run ``code`` and give its result: a dict with ``status``,
        ``stdout``, ``stderr``, ``result_json``, ``termination`` and the rest.

        ``language`` is python or javascript (or py, python3, js, node);
        ``policy`` the import policy level, or
        ``{"level": "standard", "deny": ["random"]}`` to take modules out of
        one; ``timeout_ms`` the wall time in milliseconds; ``max_memory_mb`` the memory in MiB; ``limits`` takes
        these two by name and max_stdout_bytes and max_stderr_bytes as well.
        What is left out takes the daemon's default. Only root may set
        ``profile``.

        Raises a SafeExecError where nothing ran or no answer came.
        """
        body = _request(language, code, policy, timeout_ms, max_memory_mb, limits, profile)
        return self._call("POST", "/v1/tools/safe-exec", body, _longest(body) + self.margin)

    def submit(
        self,
        language: str,
        code: str,
        policy: Optional[_Policy] = None,
        timeout_ms: Optional[int] = None,
        max_memory_mb: Optional[int] = None,
        limits: Optional[Mapping[str, int]] = None,
        profile: Optional[str] = None,
    ) -> str:
        """Queue ``code`` and give the id of its job; see ``wait``. Takes what
        ``execute`` takes."""
        body = _request(language, code, policy, timeout_ms, max_memory_mb, limits, profile)
        return str(self._call("POST", "/v1/tools/safe-exec/async", body, self.margin)["job_id"])

    def check(
        self,
        language: str,
        code: str,
        policy: Optional[_Policy] = None,
        timeout_ms: Optional[int] = None,
        max_memory_mb: Optional[int] = None,
        limits: Optional[Mapping[str, int]] = None,
        profile: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Check ``code`` inside a jail without running it, and give what would
        become of it: a dict with ``would_run``, ``imports``, ``violations``,
        ``termination``, ``policy`` and ``limits_applied``. Takes what
        ``execute`` takes."""
        body = _request(language, code, policy, timeout_ms, max_memory_mb, limits, profile)
        return self._call("POST", "/v1/tools/safe-exec?dry_run=1", body, _longest(body) + self.margin)

    def policy(self, language: str, level: Optional[str] = None) -> Dict[str, Any]:
        """Give what a program in ``language`` may do under ``level`` (left out,
        what a request gets that names none): a dict with ``imports``,
        ``blocked_names``, ``limits``, ``rules`` and the rest."""
        return self._call("GET", _policy_path(language, level), None, self.margin)

    def prompt(self, language: str, level: Optional[str] = None) -> str:
        """Give the same as a paragraph to paste into a model's system prompt."""
        return str(self._call("GET", _policy_path(language, level, "prompt"), None, self.margin, plain=True)["text"])

    def job(self, job_id: str, wait: float = 0) -> Dict[str, Any]:
        """Give the job as it stands: ``job_id``, ``status``, its times and,
        once it has finished, ``result`` or ``error``. Waits for its end for at
        most ``wait`` seconds (the daemon allows 60)."""
        query = "?wait=%dms" % int(wait * 1000) if wait > 0 else ""
        return self._call("GET", _job_path(job_id) + query, None, wait + self.margin)

    def wait(self, job_id: str, timeout: Optional[float] = None) -> Dict[str, Any]:
        """Wait for the job to finish and give its result. Raises the job's
        error where it has one instead, and Timeout after ``timeout`` seconds
        (None waits as long as it takes); the job goes on then."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _POLL_S if end is None else min(_POLL_S, max(0.0, end - time.monotonic()))
            job = self.job(job_id, wait=left)
            if job.get("status") not in _UNFINISHED:
                break
            if end is not None and time.monotonic() >= end:
                raise Timeout("job %s has not finished within %.1f seconds" % (job_id, timeout))
        if job.get("error"):
            problem = job["error"]
            raise from_problem(int(problem.get("status", 500)), problem)
        if not isinstance(job.get("result"), dict):
            raise InternalError("job %s finished without a result" % job_id)
        return job["result"]

    def cancel(self, job_id: str) -> Dict[str, Any]:
        """Cancel the job and give it as it stands: a waiting one never runs, a
        running one is killed, a finished one stays as it is."""
        return self._call("DELETE", _job_path(job_id), None, self.margin)

    def _call(self, method: str, target: str, body: Optional[Dict[str, Any]], timeout: float, plain: bool = False) -> Dict[str, Any]:
        status, reply = transport.request(self.socket_path, method, target, body, timeout, plain)
        if status not in (200, 202):
            raise from_problem(status, reply)
        return reply


def _longest(body: Dict[str, Any]) -> float:
    """The time in seconds that a request asks for at most."""
    asked = body.get("limits", {}).get("timeout_ms")
    if isinstance(asked, int) and asked > 0:
        # The daemon refuses what is too long, and a socket takes no timeout of
        # a thousand years.
        return min(asked / 1000.0, 24 * 3600.0)
    return _LONGEST_RUN_S


def _policy_path(language: str, level: Optional[str], form: str = "json") -> str:
    query = {"language": language, "format": form}
    if level is not None:
        query["level"] = level
    return "/v1/policy?" + urllib.parse.urlencode(query)


def _job_path(job_id: str) -> str:
    return "/v1/jobs/" + urllib.parse.quote(job_id, safe="")


def _request(
    language: str,
    code: str,
    policy: Optional[_Policy],
    timeout_ms: Optional[int],
    max_memory_mb: Optional[int],
    limits: Optional[Mapping[str, int]],
    profile: Optional[str],
) -> Dict[str, Any]:
    body: Dict[str, Any] = {"language": language, "code": code}
    if policy is not None:
        body["policy"] = policy if isinstance(policy, str) else dict(policy)
    if profile is not None:
        body["profile"] = profile
    merged: Dict[str, Any] = dict(limits or {})
    for name, value in (("timeout_ms", timeout_ms), ("max_memory_mb", max_memory_mb)):
        if value is None:
            continue
        if name in merged:
            raise InvalidRequest("%s is given twice" % name, problem={"field": "limits." + name})
        merged[name] = value
    if merged:
        body["limits"] = merged
    return body
