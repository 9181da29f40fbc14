"""What takes more than one request, written once for threads and for asyncio.

A flow is a generator: it yields what is to be done, a Call or a Sleep, and is
sent the reply or thrown the error."""

import random
import time
from typing import Any, Dict, Generator, NamedTuple, Optional, Union

from . import calls
from .errors import Busy, ConnectionError, InternalError, Timeout, Unavailable, from_problem
from .events import Backoff, asked_for
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
        except ConnectionError as e:
            if lost == _LOST or not e.sent:
                raise
        yield Sleep(0.1 * 2.0 ** lost)
    if not isinstance(reply.get("job_id"), str):
        raise InternalError("the daemon took the job and gave no id")
    return reply["job_id"]


def wait(job_id: str, timeout: Optional[float], margin: float) -> Flow:
    """Wait for a job's end; give its result or raise its error. A job outlives
    its daemon, so a daemon that goes away meanwhile is waited for, too, and one
    that says when to come back for as long as it says."""
    end = None if timeout is None else time.monotonic() + timeout
    backoff: Optional[Backoff] = None
    while True:
        begin = time.monotonic()
        left = _POLL_S if end is None else min(_POLL_S, max(0.0, end - begin))
        try:
            job: Dict[str, Any] = yield calls.job(job_id, margin, left)
        except (ConnectionError, Unavailable, Busy) as e:
            if backoff is None and asked_for(e) is None:
                raise  # it was never there
            backoff = backoff or Backoff()
            pause = backoff.pause(e)
        else:
            if job.get("status") not in UNFINISHED:
                break
            backoff = Backoff()
            # One that does not wait, since it is about to end, is not asked
            # without a pause.
            pause = 0.2 if time.monotonic() - begin < 1 else 0.0
        if end is not None and time.monotonic() >= end:
            raise Timeout("job %s has not finished within %s seconds" % (job_id, timeout))
        if pause:
            yield Sleep(pause if end is None else min(pause, max(0.0, end - time.monotonic())))
    if job.get("error"):
        problem = job["error"]
        raise from_problem(int(problem.get("status", 500)), problem)
    if not isinstance(job.get("result"), dict):
        raise InternalError("job %s finished without a result" % job_id)
    return Result(job["result"])
