"""The client against a real HTTP server on a Unix socket."""

import builtins
import http.server
import json
import os
import shutil
import socket
import socketserver
import tempfile
import threading
import unittest
from unittest import mock

import safe_code_executor as sce


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def address_string(self):
        return "unix"

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
    """Answers with the replies it was given, in their order."""

    def __init__(self, path):
        self.path, self.replies, self.seen, self.read_body = path, [], [], True
        self.server = _Server(path, _Handler)
        self.server.fake = self
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def reply(self, status, body, media=None, **headers):
        if media is None:
            media = "application/json" if status < 400 else "application/problem+json"
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.replies.append((status, media, text, {k.replace("_", "-"): v for k, v in headers.items()}))

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        self.path = os.path.join(self.dir, "s.sock")

    def start(self):
        fake = Fake(self.path)
        self.addCleanup(fake.close)
        return fake, sce.SafeCodeExecutor(self.path, margin=5)


class TestRequests(Case):
    def test_what_is_sent(self):
        rows = [
            ("the least", {}, {}),
            ("a policy", {"policy": "relaxed"}, {"policy": "relaxed"}),
            ("a policy with less in it", {"policy": {"level": "strict", "deny": ["random"]}}, {"policy": {"level": "strict", "deny": ["random"]}}),
            ("a profile", {"profile": "p"}, {"profile": "p"}),
            ("limits by name", {"timeout_ms": 1, "max_memory_mb": 2}, {"limits": {"timeout_ms": 1, "max_memory_mb": 2}}),
            ("limits as a dict", {"limits": {"max_stdout_bytes": 3}}, {"limits": {"max_stdout_bytes": 3}}),
            ("both", {"limits": {"max_stderr_bytes": 3}, "timeout_ms": 1}, {"limits": {"max_stderr_bytes": 3, "timeout_ms": 1}}),
            ("zero is sent, for the daemon to refuse", {"timeout_ms": 0}, {"limits": {"timeout_ms": 0}}),
        ]
        fake, executor = self.start()
        for name, arguments, want in rows:
            with self.subTest(name):
                fake.reply(200, {"status": "succeeded"})
                result = executor.execute(language="python", code="print('ü\ud800')", **arguments)
                self.assertEqual({"status": "succeeded"}, result)
                method, path, body, headers = fake.seen.pop()
                self.assertEqual(("POST", "/v1/tools/safe-exec"), (method, path))
                self.assertEqual(dict({"language": "python", "code": "print('ü\ud800')"}, **want), body)
                self.assertEqual("application/json", headers["Content-Type"])

    def test_a_check_is_a_dry_run_of_the_same_request(self):
        fake, executor = self.start()
        fake.reply(200, {"would_run": True, "imports": []})
        self.assertEqual({"would_run": True, "imports": []}, executor.check("python", "1", policy="strict", timeout_ms=7))
        method, path, body, _ = fake.seen.pop()
        self.assertEqual(("POST", "/v1/tools/safe-exec?dry_run=1"), (method, path))
        self.assertEqual({"language": "python", "code": "1", "policy": "strict", "limits": {"timeout_ms": 7}}, body)

    def test_policies_are_asked_for_by_query(self):
        fake, executor = self.start()
        fake.reply(200, {"name": "strict"})
        self.assertEqual({"name": "strict"}, executor.policy("python"))
        fake.reply(200, {"name": "a&b"})
        executor.policy("js", level="a&b")
        fake.reply(200, "You write Python.\n".encode(), "text/plain; charset=utf-8")
        self.assertEqual("You write Python.\n", executor.prompt("python", level="strict"))
        self.assertEqual(
            ["/v1/policy?language=python&format=json", "/v1/policy?language=js&format=json&level=a%26b", "/v1/policy?language=python&format=prompt&level=strict"],
            [path for _, path, _, _ in fake.seen],
        )
        fake.reply(200, b"<h1>", "text/html")
        with self.assertRaises(sce.InternalError):
            executor.prompt("python")
        fake.reply(200, b"hello", "text/plain")
        with self.assertRaises(sce.InternalError):
            executor.policy("python")
        fake.reply(403, {"code": "forbidden", "field": "level"})
        with self.assertRaises(sce.Forbidden) as caught:
            executor.prompt("python", level="relaxed")
        self.assertEqual("level", caught.exception.field)

    def test_a_limit_given_twice_is_refused_here(self):
        with self.assertRaises(sce.InvalidRequest) as caught:
            sce.SafeCodeExecutor(self.path).execute("python", "1", timeout_ms=1, limits={"timeout_ms": 2})
        self.assertEqual("limits.timeout_ms", caught.exception.field)

    def test_where_the_socket_is(self):
        rows = [
            ("the argument wins", "/a", {"SAFE_EXEC_SOCKET": "/b"}, "/a"),
            ("then the environment", None, {"SAFE_EXEC_SOCKET": "/b"}, "/b"),
            ("an empty variable is none", None, {"SAFE_EXEC_SOCKET": ""}, "/run/safe-exec/safe-exec.sock"),
            ("then the usual place", None, {}, "/run/safe-exec/safe-exec.sock"),
        ]
        for name, argument, environment, want in rows:
            with self.subTest(name), mock.patch.dict(os.environ, environment, clear=True):
                self.assertEqual(want, sce.SafeCodeExecutor(argument).socket_path)


class TestErrors(Case):
    def test_problems_become_exceptions(self):
        rows = [
            ("a wrong field", 400, {"code": "invalid", "field": "languge", "detail": "unknown field"}, sce.InvalidRequest, {"field": "languge"}),
            (
                "a limit over its ceiling",
                422,
                {"code": "too_large", "field": "limits.timeout_ms", "value": 60000, "maximum": 30000},
                sce.InvalidRequest,
                {"field": "limits.timeout_ms", "value": 60000, "maximum": 30000},
            ),
            ("a profile for another than root", 403, {"code": "forbidden", "field": "profile"}, sce.Forbidden, {"field": "profile"}),
            ("no such job", 404, {"code": "not_found"}, sce.NotFound, {}),
            ("no slot", 429, {"code": "busy", "retry_after": 3, "reason": "queue_full"}, sce.Busy, {"retry_after": 3.0, "reason": "queue_full"}),
            ("no jail", 503, {"code": "setup_error", "step": "pivot_root"}, sce.SetupError, {"step": "pivot_root"}),
            ("a daemon that ends", 503, {"code": "unavailable"}, sce.Unavailable, {}),
            ("a daemon that failed", 500, {"code": "internal", "request_id": "req_1"}, sce.InternalError, {"request_id": "req_1"}),
            ("a code of the future", 422, {"code": "novel"}, sce.InvalidRequest, {"code": "novel"}),
        ]
        fake, executor = self.start()
        for name, status, problem, kind, attributes in rows:
            with self.subTest(name):
                fake.reply(status, problem)
                with self.assertRaises(sce.SafeExecError) as caught:
                    executor.execute("python", "1")
                self.assertIs(kind, type(caught.exception))
                self.assertEqual(status, caught.exception.status)
                self.assertTrue(str(caught.exception))
                for attribute, want in attributes.items():
                    self.assertEqual(want, getattr(caught.exception, attribute), attribute)

    def test_answers_of_something_else(self):
        rows = [
            ("a proxy's 502", 502, b"<h1>", {}, sce.InternalError),
            ("a proxy's 429", 429, b"<h1>", {"Retry_After": "7"}, sce.Busy),
            ("a proxy's 413", 413, b"<h1>", {}, sce.InvalidRequest),
            ("a list for a problem", 503, b"[]", {}, sce.Unavailable),
            ("no JSON for a result", 200, b"<h1>", {}, sce.InternalError),
            ("a list for a result", 200, b"[]", {}, sce.InternalError),
            ("not UTF-8 for a result", 200, b'{"a":"\xff"}', {}, sce.InternalError),
        ]
        fake, executor = self.start()
        for name, status, text, headers, kind in rows:
            with self.subTest(name):
                fake.reply(status, text, "text/html", **headers)
                with self.assertRaises(kind) as caught:
                    executor.execute("python", "1")
                if kind is sce.Busy:
                    self.assertEqual(7.0, caught.exception.retry_after)

    def test_no_daemon(self):
        stale = os.path.join(self.dir, "stale.sock")
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(stale)
        for name, path, says in [("no socket", self.path, "start the daemon"), ("a stale one", stale, "nobody listens")]:
            with self.subTest(name):
                with self.assertRaises(sce.ConnectionError) as caught:
                    sce.SafeCodeExecutor(path).execute("python", "1")
                self.assertIn(path, str(caught.exception))
                self.assertIn(says, str(caught.exception))
                self.assertIsInstance(caught.exception, builtins.ConnectionError)
                self.assertIsInstance(caught.exception, sce.SafeExecError)

    def test_a_daemon_that_hangs_up(self):
        fake, executor = self.start()
        fake.replies.append(lambda handler: None)
        with self.assertRaises(sce.ConnectionError):
            executor.execute("python", "1")

    def test_a_daemon_that_does_not_answer(self):
        fake, _ = self.start()
        over = threading.Event()
        self.addCleanup(over.set)
        fake.replies.append(lambda handler: over.wait(10) and None)
        with self.assertRaises(sce.Timeout) as caught:
            sce.SafeCodeExecutor(self.path, margin=0.1).execute("python", "1", timeout_ms=100)
        self.assertIsInstance(caught.exception, builtins.TimeoutError)

    def test_a_refusal_before_the_body_was_read(self):
        fake, executor = self.start()
        fake.read_body = False
        fake.reply(429, {"code": "busy", "retry_after": 2})
        with self.assertRaises(sce.Busy):
            executor.execute("python", "x" * (8 << 20))


class TestJobs(Case):
    def test_submit_wait_and_cancel(self):
        fake, executor = self.start()
        fake.reply(202, {"job_id": "job_1", "status": "queued"})
        self.assertEqual("job_1", executor.submit("python", "1", timeout_ms=5))
        fake.reply(200, {"job_id": "job_1", "status": "queued"})
        fake.reply(200, {"job_id": "job_1", "status": "running"})
        fake.reply(200, {"job_id": "job_1", "status": "succeeded", "result": {"status": "succeeded"}})
        self.assertEqual({"status": "succeeded"}, executor.wait("job_1"))
        fake.reply(200, {"job_id": "job_1", "status": "cancelled"})
        self.assertEqual("cancelled", executor.cancel("job_1")["status"])
        self.assertEqual(
            [("POST", "/v1/tools/safe-exec/async")] + [("GET", "/v1/jobs/job_1?wait=25000ms")] * 3 + [("DELETE", "/v1/jobs/job_1")],
            [(method, path) for method, path, _, _ in fake.seen],
        )
        self.assertEqual({"language": "python", "code": "1", "limits": {"timeout_ms": 5}}, fake.seen[0][2])

    def test_a_job_with_an_error_raises_it(self):
        fake, executor = self.start()
        fake.reply(200, {"job_id": "j", "status": "error", "error": {"code": "setup_error", "status": 503, "step": "pivot"}})
        with self.assertRaises(sce.SetupError) as caught:
            executor.wait("j")
        self.assertEqual("pivot", caught.exception.step)

    def test_a_wait_ends(self):
        fake, executor = self.start()
        for _ in range(2):
            fake.reply(200, {"job_id": "j", "status": "running"})
        with self.assertRaises(sce.Timeout):
            executor.wait("j", timeout=0)

    def test_an_id_stays_one_part_of_the_path(self):
        fake, executor = self.start()
        fake.reply(404, {"code": "not_found"})
        with self.assertRaises(sce.NotFound):
            executor.job("../tools/x?y")
        self.assertEqual("/v1/jobs/..%2Ftools%2Fx%3Fy", fake.seen[0][1])


if __name__ == "__main__":
    unittest.main()
