"""Requests and replies as values, for both ways of sending them."""

import json
import uuid
from typing import Any, Dict, Mapping, NamedTuple, Optional, Tuple
import urllib.parse

from .errors import InternalError, InvalidRequest, from_problem

# A reply holds stdout, stderr, result_json and files at their largest, six
# bytes of JSON for each byte, and little else.
MAX_REPLY_BYTES = 64 << 20

# The largest time limit in seconds that a daemon grants unless its operator
# raised it; used where a request leaves the limit to the daemon.
_LONGEST_RUN_S = 30.0

# What a caller should know whose run was cut off.
_UNKNOWN = "; the program was waiting or running, and how it would have ended is not known (a job, made by submit, survives this)"

RUN = "/v1/tools/safe-exec"
JOBS = "/v1/jobs"

JSON = "application/json, application/problem+json"
EVENTS = "text/event-stream, application/problem+json"


class Call(NamedTuple):
    """One request. ``timeout`` bounds each wait for the daemon, in seconds;
    with ``plain`` the reply is text and comes as ``{"text": ...}``; ``lost``
    is what to say where the daemon went away before it answered."""

    method: str
    target: str
    timeout: float
    body: Optional[Dict[str, Any]] = None
    headers: Mapping[str, str] = {}
    plain: bool = False
    lost: str = ""

    def encode(self, accept: str = JSON) -> Tuple[Dict[str, str], bytes]:
        """Give headers and body as they go out."""
        headers = {"Accept": accept}
        headers.update(self.headers)
        if self.body is None:
            return headers, b""
        headers["Content-Type"] = "application/json"
        return headers, json.dumps(self.body).encode("ascii")

    def decode(self, status: int, headers: Mapping[str, str], raw: bytes) -> Dict[str, Any]:
        """Read a reply; ``headers`` have lower-case names. A refusal raises
        its exception."""
        if len(raw) > MAX_REPLY_BYTES:
            raise InternalError("the reply is too large", status)
        if self.plain and status == 200:
            if not headers.get("content-type", "").startswith("text/plain"):
                raise InternalError("the reply is no plain text", status)
            return {"text": raw.decode("utf-8", "replace")}
        try:
            read = json.loads(raw.decode("utf-8"))
        except ValueError:
            read = None
        if not isinstance(read, dict) and status < 400:
            raise InternalError("the reply is no JSON object", status)
        reply: Dict[str, Any] = read if isinstance(read, dict) else {}
        if status in (200, 202):
            return reply
        retry = headers.get("retry-after", "")
        if "retry_after" not in reply and retry:
            reply["retry_after"] = retry  # digits, or a proxy's date, which says nothing to us
        raise from_problem(status, reply)


def run(body: Dict[str, Any], margin: float, query: str = "") -> Call:
    """A synchronous run, or with ``query`` a check or a stream of one."""
    lost = "" if query == "?dry_run=1" else _UNKNOWN
    return Call("POST", RUN + query, _longest(body) + margin, body, lost=lost)


def submit(body: Dict[str, Any], margin: float, key: Optional[str], ttl: Optional[float]) -> Call:
    """A job. It always has a key, so that sending it twice makes one job."""
    if key is None:
        key = uuid.uuid4().hex
    elif not (1 <= len(key) <= 255 and all(" " <= c <= "~" for c in key) and key == key.strip()):
        raise InvalidRequest("an idempotency key has 1 to 255 printable ASCII characters", problem={"field": "Idempotency-Key"})
    query = "" if ttl is None else "?ttl=%dms" % round(ttl * 1000)
    return Call("POST", RUN + "/async" + query, margin, body, {"Idempotency-Key": key})


def job(job_id: str, margin: float, wait: float = 0) -> Call:
    query = "?wait=%dms" % int(wait * 1000) if wait > 0 else ""
    return Call("GET", _job(job_id) + query, wait + margin)


def cancel(job_id: str, margin: float) -> Call:
    return Call("DELETE", _job(job_id), margin)


def events(job_id: str, timeout: float, last: Optional[str]) -> Call:
    return Call("GET", _job(job_id) + "/events", timeout, headers={"Last-Event-ID": last} if last else {})


def list_jobs(margin: float, status: Optional[str], limit: Optional[int], after: Optional[str]) -> Call:
    query = {name: str(value) for name, value in (("status", status), ("limit", limit), ("after", after)) if value is not None}
    return Call("GET", JOBS + ("?" + urllib.parse.urlencode(query) if query else ""), margin)


def policy(language: str, level: Optional[str], margin: float, prompt: bool = False) -> Call:
    query = {"language": language, "format": "prompt" if prompt else "json"}
    if level is not None:
        query["level"] = level
    return Call("GET", "/v1/policy?" + urllib.parse.urlencode(query), margin, plain=prompt)


def _job(job_id: str) -> str:
    return JOBS + "/" + urllib.parse.quote(job_id, safe="")


def _longest(body: Dict[str, Any]) -> float:
    """The time in seconds that a request asks for at most."""
    asked = body.get("limits", {}).get("timeout_ms")
    if isinstance(asked, int) and asked > 0:
        # The daemon refuses what is too long, and a socket takes no timeout of
        # a thousand years.
        return min(asked / 1000.0, 24 * 3600.0)
    return _LONGEST_RUN_S
