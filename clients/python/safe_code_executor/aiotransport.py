"""One request, on a connection of its own, over asyncio's streams: HTTP/1.1
(RFC 9112) as far as one request needs it."""

import asyncio
import contextlib
import socket
from typing import Any, AsyncGenerator, AsyncIterator, Awaitable, Dict, NamedTuple, TypeVar

from . import calls
from .address import Address
from .errors import ConnectionError, InternalError, Timeout
from .events import Event, Parser

# A body of more bytes is sent only once the daemon has said that it takes the
# request: a refusal would meet a caller that is still writing.
_EXPECT_OVER = 32 << 10
_PIECE = 1 << 16

_T = TypeVar("_T")


class _Reply(NamedTuple):
    status: int
    headers: Dict[str, str]
    pieces: AsyncGenerator[bytes, None]


class _NoHTTP(Exception):
    pass


async def request(address: Address, call: calls.Call) -> Dict[str, Any]:
    """Send one request and give the decoded reply. Cancelled, it closes the
    connection."""
    async with _exchange(address, call, calls.JSON) as reply:
        return await _whole(call, reply)


async def stream(address: Address, call: calls.Call) -> AsyncGenerator[Event, None]:
    """Send one request and give the events of its reply as they come; as
    transport.stream."""
    async with _exchange(address, call, calls.EVENTS) as reply:
        if reply.status != 200:
            await _whole(call, reply)
        if not reply.headers.get("content-type", "").startswith("text/event-stream"):
            raise InternalError("the reply is no stream of events", reply.status)
        parser = Parser()
        async for piece in reply.pieces:
            for event in parser.feed(piece):
                yield event


async def _whole(call: calls.Call, reply: _Reply) -> Dict[str, Any]:
    raw = bytearray()
    async for piece in reply.pieces:
        raw += piece
        if len(raw) > calls.MAX_REPLY_BYTES:
            break  # decode refuses it
    return call.decode(reply.status, reply.headers, bytes(raw))


@contextlib.asynccontextmanager
async def _exchange(address: Address, call: calls.Call, accept: str) -> AsyncIterator[_Reply]:
    async def soon(what: "Awaitable[_T]") -> _T:
        return await asyncio.wait_for(what, call.timeout)

    writer = None
    try:
        if address.path is not None:
            reader, writer = await soon(_unix(address.path))
        else:
            reader, writer = await soon(asyncio.open_connection(address.host, address.port, ssl=address.tls))
        reply = await _send(address, call, accept, reader, writer, soon)
        try:
            yield reply
        finally:
            await reply.pieces.aclose()
    except asyncio.TimeoutError as e:
        raise Timeout("the daemon on %s did not answer within %.1f seconds" % (address.name, call.timeout)) from e
    except (BrokenPipeError, ConnectionResetError, asyncio.IncompleteReadError) as e:
        raise ConnectionError(address.gone(call.lost)) from e
    except OSError as e:
        raise ConnectionError(address.explain(e), sent=writer is not None) from e
    except (_NoHTTP, asyncio.LimitOverrunError) as e:
        raise InternalError("what answers on %s does not speak HTTP: %s" % (address.name, e)) from e
    finally:
        if writer is not None:
            # Not closed in order: what is unsent is of no use to anybody.
            writer.transport.abort()


async def _unix(path: str) -> "tuple[asyncio.StreamReader, asyncio.StreamWriter]":
    # EAGAIN of connect on a Unix socket says that the backlog is full, and no
    # event tells when it no longer is (unix(7)); asyncio alone would take it
    # for a connection under way.
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        while True:
            try:
                sock.connect(path)
                return await asyncio.open_unix_connection(sock=sock)
            except BlockingIOError:
                await asyncio.sleep(0.01)
    except BaseException:
        sock.close()
        raise


async def _send(address: Address, call: calls.Call, accept: str, reader: Any, writer: Any, soon: Any) -> _Reply:
    headers, body = call.encode(accept)
    headers.update(address.headers())
    headers.update({"Host": address.host_header, "Connection": "close"})
    if call.body is not None:
        headers["Content-Length"] = str(len(body))
    patient = len(body) > _EXPECT_OVER
    if patient:
        headers["Expect"] = "100-continue"
    head = "%s %s HTTP/1.1\r\n%s\r\n" % (call.method, call.target, "".join("%s: %s\r\n" % h for h in headers.items()))
    writer.write(head.encode("latin-1") + (b"" if patient else body))
    status, got = await soon(_head(reader))
    if status < 200:
        if patient and status == 100:
            # No drain: the reply may come before all of it was taken.
            writer.write(body)
        status, got = await soon(_final(reader))
    return _Reply(status, got, _pieces(reader, got, soon))


async def _final(reader: asyncio.StreamReader) -> "tuple[int, Dict[str, str]]":
    while True:
        status, headers = await _head(reader)
        if status >= 200:
            return status, headers


async def _head(reader: asyncio.StreamReader) -> "tuple[int, Dict[str, str]]":
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")[:-4].split("\r\n")
    words = first.split(" ", 2)
    if len(words) < 2 or not words[0].startswith("HTTP/1.") or not (len(words[1]) == 3 and words[1].isdecimal()):
        raise _NoHTTP("no status line: %.60r" % first)
    headers: Dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise _NoHTTP("no header: %.60r" % line)
        headers[name.lower()] = value.strip()
    return int(words[1]), headers


async def _pieces(reader: asyncio.StreamReader, headers: Dict[str, str], soon: Any) -> AsyncGenerator[bytes, None]:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        while True:
            line = await soon(reader.readuntil(b"\n"))
            left = _number(line.split(b";")[0].strip(), 16)
            if left == 0:
                return
            while left:
                piece = await _some(reader, left, soon)
                left -= len(piece)
                yield piece
            await soon(reader.readexactly(2))
    elif "content-length" in headers:
        left = _number(headers["content-length"].encode("latin-1"), 10)
        while left:
            piece = await _some(reader, left, soon)
            left -= len(piece)
            yield piece
    else:
        while True:
            piece = await soon(reader.read(_PIECE))
            if not piece:
                return
            yield piece


async def _some(reader: asyncio.StreamReader, most: int, soon: Any) -> bytes:
    piece: bytes = await soon(reader.read(min(most, _PIECE)))
    if not piece:
        raise asyncio.IncompleteReadError(b"", most)
    return piece


def _number(text: bytes, base: int) -> int:
    try:
        number = int(text, base)
    except ValueError:
        number = -1
    if number < 0:
        raise _NoHTTP("no length: %.60r" % text)
    return number
