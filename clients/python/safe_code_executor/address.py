"""Where the daemon listens, and how a connection to it begins."""

import errno
import http.client
import ipaddress
import os
import socket
import ssl
import time
import urllib.parse
from typing import Dict, Optional

from .errors import InvalidRequest

DEFAULT_SOCKET = "/run/safe-exec/safe-exec.sock"

_HELP = {
    errno.ENOENT: "there is no such socket; start the daemon with `safe-exec serve`, or set SAFE_EXEC_SOCKET to where it listens",
    errno.ECONNREFUSED: "nobody listens there any more; start the daemon with `safe-exec serve`",
}


def _admission(path: str) -> str:
    """Say how a user gets in whom the socket keeps out."""
    try:
        gid = os.stat(path).st_gid
    except OSError:
        return "a directory on the way to the socket keeps this user out"
    if gid == 0:
        return (
            "the socket is root's alone, since there was no group for callers when the daemon started: "
            "make one (groupadd --system safe-exec), join it, and start the daemon again"
        )
    try:
        import grp

        name = grp.getgrgid(gid).gr_name
    except (ImportError, KeyError):
        name = "with the gid %d" % gid
    return "this user may not open the socket; join the group %s, which owns it" % name


class Address:
    """A Unix socket (``path``), or ``host`` and ``port`` with a bearer token.
    ``name`` is what messages call it; it never holds the token."""

    def __init__(
        self,
        socket_path: Optional[str] = None,
        url: Optional[str] = None,
        token: Optional[str] = None,
        tls: Optional[ssl.SSLContext] = None,
    ) -> None:
        self.path: Optional[str] = None
        self.host, self.port = "safe-exec", 0
        self.tls: Optional[ssl.SSLContext] = None
        self.token: Optional[str] = None
        if url is None:
            if token is not None or tls is not None:
                raise _wrong("url", "token and tls are for a daemon on TCP; give its url, too")
            self.path = socket_path or os.environ.get("SAFE_EXEC_SOCKET") or DEFAULT_SOCKET
            self.name = self.path
            return
        if socket_path is not None:
            raise _wrong("url", "give socket_path or url, one of the two")
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.query or parts.fragment or "@" in parts.netloc:
            raise _wrong("url", "the url must be such as http://127.0.0.1:8080, without a path and without a password")
        try:
            port = parts.port
        except ValueError:
            raise _wrong("url", "the port of the url is no number below 65536") from None
        self.host = parts.hostname
        self.port = port or (443 if parts.scheme == "https" else 80)
        if parts.scheme == "https":
            self.tls = tls or ssl.create_default_context()
        elif tls is not None:
            raise _wrong("url", "tls is for an https url")
        elif not _loopback(self.host):
            raise _wrong("url", "%s is not this machine: programs and token would travel in the clear; use https" % self.host)
        self.name = "%s://%s" % (parts.scheme, parts.netloc)
        self.token = token if token is not None else os.environ.get("SAFE_EXEC_TOKEN") or None
        if self.token is not None and not (self.token and all("!" <= c <= "~" for c in self.token)):
            raise _wrong("token", "the token must be printable ASCII without spaces")

    def headers(self) -> Dict[str, str]:
        """The headers that every request to this address carries."""
        return {"Authorization": "Bearer " + self.token} if self.token else {}

    @property
    def host_header(self) -> str:
        if self.path is not None:
            return "safe-exec"
        host = "[%s]" % self.host if ":" in self.host else self.host
        return "%s:%d" % (host, self.port)

    def connection(self, timeout: float) -> http.client.HTTPConnection:
        """Make a connection that connects with its first request."""
        if self.path is not None:
            return _UnixConnection(self.path, timeout)
        if self.tls is not None:
            return http.client.HTTPSConnection(self.host, self.port, timeout=timeout, context=self.tls)
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def explain(self, e: BaseException) -> str:
        """Say what kept us from the daemon, and what to do about it."""
        help_ = str(e) or type(e).__name__
        if self.path is not None and isinstance(e, OSError):
            help_ = _admission(self.path) if e.errno == errno.EACCES else _HELP.get(e.errno or 0, help_)
        return "cannot reach the safe-exec daemon on %s: %s" % (self.name, help_)

    def gone(self, lost: str) -> str:
        """Say that the daemon took a request and gave no whole answer."""
        return "the daemon on %s went away before it had answered%s" % (self.name, lost)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("safe-exec", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        until = time.monotonic() + self.timeout
        while True:
            try:
                self.sock.connect(self._path)
                return
            except BlockingIOError:
                # EAGAIN: the backlog is full, and no event tells when it no
                # longer is (unix(7)).
                if time.monotonic() >= until:
                    raise socket.timeout("the backlog is full") from None
                time.sleep(0.01)


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _wrong(field: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, problem={"field": field})
