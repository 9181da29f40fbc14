"""A daemon for tests: a real HTTP server that answers with the replies it was
given, in their order. It says what a healthy daemon never says."""

import asyncio
import http.server
import json
import os
import shutil
import socketserver
import sys
import tempfile
import threading
import unittest

import safe_code_executor as sce


class _Threads(socketserver.ThreadingMixIn):
    daemon_threads = True

    def handle_error(self, request, client_address):
        # Callers that hang up are what some tests are about.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _UnixServer(_Threads, socketserver.UnixStreamServer):
    pass


class _TCPServer(_Threads, socketserver.TCPServer):
    pass


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def address_string(self):
        return "somebody"

    def log_message(self, *args):
        pass

    def _serve(self):
        length = int(self.headers.get("Content-Length") or 0)
        fake = self.server.fake
        if fake.read_body:
            body = self.rfile.read(length)
            fake.seen.append((self.command, self.path, json.loads(body) if body else None, dict(self.headers)))
        reply = fake.replies.pop(0)
        if callable(reply):
            reply = reply(self)
            if reply is None:
                self.close_connection = True
                return
        status, media, text, headers = reply
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(text)))
        for name, value in headers.items():
            self.send_header(name, value)
        if not fake.read_body:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = _serve


class Fake:
    def __init__(self, address):
        self.replies, self.seen, self.read_body = [], [], True
        self.server = (_UnixServer if isinstance(address, str) else _TCPServer)(address, _Handler)
        self.server.fake = self
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def reply(self, status, body, media=None, **headers):
        if media is None:
            media = "application/json" if status < 400 else "application/problem+json"
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.replies.append((status, media, text, {k.replace("_", "-"): v for k, v in headers.items()}))

    def hang_up(self):
        self.replies.append(lambda handler: None)

    def cut(self):
        """A reply of which half arrives."""

        def write(handler):
            handler.wfile.write(b'HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"job_id": "j')

        self.replies.append(write)

    def events(self, *events, end=True):
        """A stream of (id, kind, data), or of bytes as they are. Without end
        the connection breaks after the last."""

        def write(handler):
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream")
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            for event in events:
                text = event if isinstance(event, bytes) else b"id: %s\nevent: %s\ndata: %s\n\n" % tuple(
                    (e if isinstance(e, str) else json.dumps(e)).encode() for e in event
                )
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
            if end:
                handler.wfile.write(b"0\r\n\r\n")

        self.replies.append(write)

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Case(unittest.TestCase):
    executor_class = sce.SafeCodeExecutor
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        self.path = os.path.join(self.dir, "s.sock")

    def start(self, **options):
        fake = Fake(self.path)
        self.addCleanup(fake.close)
        return fake, self.executor_class(self.path, margin=5, **options)


def _blocking(value):
    """What an async method gave, as its twin gives it."""
    if asyncio.iscoroutine(value):

        async def get():
            return await value

        return _blocking(asyncio.run(get()))
    if hasattr(value, "__aiter__"):
        return _items(value)
    return Blocking(value) if isinstance(value, sce.AsyncJob) else value


def _items(events):
    loop = asyncio.new_event_loop()
    try:
        while True:
            try:
                yield loop.run_until_complete(events.__anext__())
            except StopAsyncIteration:
                return
    finally:
        loop.run_until_complete(events.aclose())
        loop.close()


class Blocking:
    """An async object for tests that do not await."""

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        value = getattr(self._inner, name)
        if callable(value):
            return lambda *args, **options: _blocking(value(*args, **options))
        return value


def awaited(*args, **options):
    return Blocking(sce.AsyncSafeCodeExecutor(*args, **options))


class BothCase:
    """Mix in to run a case's tests with the async executor as well:
    ``class TestXAsync(BothCase, TestX)``."""

    executor_class = staticmethod(awaited)
