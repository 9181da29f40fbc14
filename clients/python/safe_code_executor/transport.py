"""One request, on a connection of its own."""

import contextlib
import http.client
import socket
from typing import Any, Dict, Generator, Iterator, Optional

from . import calls
from .address import Address
from .errors import ConnectionError, InternalError, Timeout
from .events import Event, Parser


def request(address: Address, call: calls.Call) -> Dict[str, Any]:
    """Send one request and give the decoded reply."""
    with _exchange(address, call, calls.JSON) as response:
        return _whole(call, response)


def stream(address: Address, call: calls.Call) -> Generator[Event, None, None]:
    """Send one request and give the events of its reply as they come. Closing
    the iterator closes the connection. Ends where the reply does, with or
    without an event done."""
    with _exchange(address, call, calls.EVENTS) as response:
        if response.status != 200:
            _whole(call, response)
        if not response.getheader("Content-Type", "").startswith("text/event-stream"):
            raise InternalError("the reply is no stream of events", response.status)
        parser = Parser()
        while True:
            piece = response.read1(1 << 16)
            if not piece:
                return
            yield from parser.feed(piece)


def _whole(call: calls.Call, response: http.client.HTTPResponse) -> Dict[str, Any]:
    raw = response.read(calls.MAX_REPLY_BYTES + 1)
    if response.length and len(raw) <= calls.MAX_REPLY_BYTES:
        raise http.client.IncompleteRead(raw, response.length)
    return call.decode(response.status, {name.lower(): value for name, value in response.getheaders()}, raw)


@contextlib.contextmanager
def _exchange(address: Address, call: calls.Call, accept: str) -> Iterator[http.client.HTTPResponse]:
    headers, body = call.encode(accept)
    headers.update(address.headers())
    connection = address.connection(call.timeout)
    sent = False
    try:
        connection.connect()
        sent = True
        yield _send(connection, call, body if call.body is not None else None, headers)
    except socket.timeout as e:
        raise Timeout("the daemon on %s did not answer within %.1f seconds" % (address.name, call.timeout)) from e
    except (BrokenPipeError, ConnectionResetError, http.client.IncompleteRead) as e:  # RemoteDisconnected is one, too
        raise ConnectionError(address.gone(call.lost), sent=True) from e
    except OSError as e:
        raise ConnectionError(address.explain(e), sent=sent) from e
    except http.client.HTTPException as e:
        raise InternalError("what answers on %s does not speak HTTP: %r" % (address.name, e)) from e
    finally:
        connection.close()


def _send(connection: http.client.HTTPConnection, call: calls.Call, body: Optional[bytes], headers: Dict[str, str]) -> http.client.HTTPResponse:
    try:
        connection.request(call.method, call.target, body=body, headers=headers)
    except (BrokenPipeError, ConnectionResetError) as e:
        # The daemon refused before it had read the whole body. Its reply is
        # there to be read, and says why.
        try:
            # http.client allows getresponse() only after a request that was
            # sent whole.
            response = http.client.HTTPResponse(connection.sock)
            response.begin()
            return response
        except (http.client.HTTPException, OSError):
            raise e from None
    return connection.getresponse()
