"""One HTTP request over a Unix socket."""

import errno
import http.client
import json
import socket
from typing import Any, Dict, Optional, Tuple

from .errors import ConnectionError, InternalError, Timeout

# A reply holds stdout, stderr and result_json at their largest, six bytes of
# JSON for each byte, and little else.
MAX_REPLY_BYTES = 64 << 20

_HELP = {
    errno.ENOENT: "there is no such socket; start the daemon with `safe-exec serve`, or set SAFE_EXEC_SOCKET to where it listens",
    errno.ECONNREFUSED: "nobody listens there any more; start the daemon with `safe-exec serve`",
    errno.EACCES: "this user may not open the socket; join the group that owns it",
}


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("safe-exec", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def request(
    path: str, method: str, target: str, body: Optional[Dict[str, Any]], timeout: float, plain: bool = False
) -> Tuple[int, Dict[str, Any]]:
    """Send one request and give the status and the decoded reply. With
    ``plain`` the reply is text, and comes as ``{"text": ...}``. ``timeout``
    is in seconds and bounds each wait for the daemon."""
    connection = _UnixConnection(path, timeout)
    try:
        return _exchange(connection, method, target, body, plain)
    except socket.timeout as e:
        raise Timeout("the daemon on %s did not answer within %.1f seconds" % (path, timeout)) from e
    except OSError as e:
        help_ = _HELP.get(e.errno or 0, str(e) or type(e).__name__)
        raise ConnectionError("cannot reach the safe-exec daemon on %s: %s" % (path, help_)) from e
    except http.client.HTTPException as e:
        raise InternalError("what answers on %s does not speak HTTP: %r" % (path, e)) from e
    finally:
        connection.close()


def _exchange(
    connection: _UnixConnection, method: str, target: str, body: Optional[Dict[str, Any]], plain: bool
) -> Tuple[int, Dict[str, Any]]:
    headers = {"Accept": "application/json, application/problem+json"}
    text = None
    if body is not None:
        text = json.dumps(body).encode("ascii")
        headers["Content-Type"] = "application/json"
    try:
        connection.request(method, target, body=text, headers=headers)
    except (BrokenPipeError, ConnectionResetError) as e:
        # The daemon refused before it had read the whole body. Its reply is
        # there to be read, and says why.
        try:
            response = _response(connection)
        except (http.client.HTTPException, OSError):
            raise e from None
    else:
        response = connection.getresponse()
    raw = response.read(MAX_REPLY_BYTES + 1)
    if len(raw) > MAX_REPLY_BYTES:
        raise InternalError("the reply is too large", response.status)
    if plain and response.status == 200:
        if not response.getheader("Content-Type", "").startswith("text/plain"):
            raise InternalError("the reply is no plain text", response.status)
        return response.status, {"text": raw.decode("utf-8", "replace")}
    try:
        reply = json.loads(raw.decode("utf-8"))
    except ValueError:
        reply = None
    if not isinstance(reply, dict):
        if response.status < 400:
            raise InternalError("the reply is no JSON object", response.status)
        reply = {}
    if response.status == 429 and "retry_after" not in reply:
        retry = response.getheader("Retry-After", "")
        if retry.isdigit():
            reply["retry_after"] = int(retry)
    return response.status, reply


def _response(connection: _UnixConnection) -> http.client.HTTPResponse:
    # http.client allows getresponse() only after a request that was sent whole.
    response = http.client.HTTPResponse(connection.sock)
    response.begin()
    return response
