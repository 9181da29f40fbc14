"""What takes more than one request, written once for threads and for asyncio.

A flow is a generator: it yields what is to be done, a Call or a Sleep, and is
sent the reply or thrown the error."""

import random
import time
from typing import Any, Dict, Generator, NamedTuple, Optional, Union

from . import calls
from .errors import Busy, ConnectionError, InternalError, Timeout, from_problem
from .results import Result

# One long poll, in seconds; the daemon allows up to 60.
_POLL_S = 25.0
# How often a job is sent again whose reply was lost, and the longest wait for a
# daemon that is busy, in seconds.
_LOST = 3
_LONGEST_WAIT_S = 60.0

UNFINISHED = ("queued", "running")


class Sleep(NamedTuple):
    seconds: float


Flow = Generator[Union[calls.Call, Sleep], Any, Any]


def patient(call: calls.Call, retries: int) -> Flow:
    """Send, and again where the daemon is busy: nothing ran then."""
    while True:
        try:
            return (yield call)
        except Busy as e:
            if retries <= 0:
                raise
            retries -= 1
            wait = min(e.retry_after, _LONGEST_WAIT_S)
        # Not all at once who were refused at once.
        yield Sleep(wait * random.uniform(1.0, 1.25))


def submit(call: calls.Call, retries: int) -> Flow:
    """Send a job, and again where its reply was lost: its key makes it the
    same job. Gives its id."""
    for lost in range(_LOST + 1):
        try:
            reply = yield from patient(call, retries)
            break
        except (ConnectionError, Timeout) as e:
            if lost == _LOST or not getattr(e, "sent", True):
                raise
        yield Sleep(0.1 * 2.0 ** lost)
    if not isinstance(reply.get("job_id"), str):
        raise InternalError("the daemon took the job and gave no id")
    return reply["job_id"]


def wait(job_id: str, timeout: Optional[float], margin: float) -> Flow:
    """Wait for a job's end; give its result or raise its error."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        left = _POLL_S if end is None else min(_POLL_S, max(0.0, end - time.monotonic()))
        job: Dict[str, Any] = yield calls.job(job_id, margin, left)
        if job.get("status") not in UNFINISHED:
            break
        if end is not None and time.monotonic() >= end:
            raise Timeout("job %s has not finished within %s seconds" % (job_id, timeout))
    if job.get("error"):
        problem = job["error"]
        raise from_problem(int(problem.get("status", 500)), problem)
    if not isinstance(job.get("result"), dict):
        raise InternalError("job %s finished without a result" % job_id)
    return Result(job["result"])
