"""The client against a real HTTP server on a Unix socket."""

import builtins
import os
import socket
import threading
import time
import unittest
from unittest import mock

import safe_code_executor as sce

from fakecase import BothCase, Case, Fake


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
            self.executor_class(self.path).execute("python", "1", timeout_ms=1, limits={"timeout_ms": 2})
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
                self.assertEqual(want, self.executor_class(argument).socket_path)


class TestErrors(Case):
    def test_problems_become_exceptions(self):
        rows = [
            ("a wrong field", 400, {"code": "invalid", "field": "languge", "detail": "unknown field"}, sce.InvalidRequest, {"field": "languge"}),
            (
                "a limit over its ceiling",
                422,
                {"code": "too_large", "field": "limits.timeout_ms", "predicate": "is too long", "value": 60000, "maximum": 30000, "unit": "ms"},
                sce.InvalidRequest,
                {"field": "limits.timeout_ms", "predicate": "is too long", "value": 60000, "maximum": 30000, "unit": "ms"},
            ),
            ("a profile for another than root", 403, {"code": "forbidden", "field": "profile"}, sce.Forbidden, {"field": "profile"}),
            ("no such job", 404, {"code": "not_found"}, sce.NotFound, {}),
            ("an unknown token", 401, {"code": "unauthorized"}, sce.Forbidden, {}),
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
                    self.executor_class(path).execute("python", "1")
                self.assertIn(path, str(caught.exception))
                self.assertIn(says, str(caught.exception))
                self.assertIsInstance(caught.exception, builtins.ConnectionError)
                self.assertIsInstance(caught.exception, sce.SafeExecError)

    def test_a_backlog_that_is_full_is_waited_for(self):
        daemon = socket.socket(socket.AF_UNIX)
        self.addCleanup(daemon.close)
        daemon.bind(self.path)
        daemon.listen(1)
        waiting = []
        self.addCleanup(lambda: [s.close() for s in waiting])
        while not waiting or not waiting[-1].connect_ex(self.path):
            waiting.append(socket.socket(socket.AF_UNIX))
            waiting[-1].setblocking(False)
        with self.assertRaises(sce.Timeout):
            self.executor_class(self.path, margin=0.1).execute("python", "1", timeout_ms=100)

    def test_a_daemon_that_goes_away_leaves_a_verdict_unknown(self):
        fake, executor = self.start()
        run, check = "how it would have ended is not known", "answered"
        for name, ask, says in [
            ("a run", lambda: executor.execute("python", "1"), run),
            ("a stream", lambda: list(executor.stream("python", "1")), run),
            ("a check, of which nothing is lost", lambda: executor.check("python", "1"), check),
        ]:
            for how, end in [("at once", fake.hang_up), ("in the midst of its reply", fake.cut if "stream" not in name else lambda: fake.events(("1.1", "started", {})))]:
                with self.subTest(name, how=how):
                    end()
                    with self.assertRaises(sce.ConnectionError) as caught:
                        ask()
                    self.assertIn("the daemon on %s went away before it had answered" % self.path, str(caught.exception))
                    self.assertTrue(says in str(caught.exception), str(caught.exception))
                    self.assertTrue(caught.exception.sent)
                    self.assertEqual(says == run, "submit" in str(caught.exception))

    def test_who_is_kept_out_is_told_how_to_be_let_in(self):
        address = sce.address.Address(self.path)
        for name, gid, says in [("root's alone", 0, "groupadd --system safe-exec"), ("a group's", 4242, "join the group with the gid 4242")]:
            with self.subTest(name), mock.patch("os.stat", return_value=mock.Mock(st_gid=gid)):
                self.assertIn(says, address.explain(PermissionError(13, "Permission denied")))
        self.assertIn("a directory on the way", address.explain(PermissionError(13, "Permission denied")))

    def test_a_token_that_is_not_known_is_named(self):
        fake, executor = self.start()
        fake.reply(401, {"code": "forbidden", "detail": "a token is needed"})
        with self.assertRaisesRegex(sce.Forbidden, r"a token is needed; give it as token, or in \$SAFE_EXEC_TOKEN"):
            executor.execute("python", "1")

    def test_a_daemon_that_does_not_answer(self):
        fake, _ = self.start()
        over = threading.Event()
        self.addCleanup(over.set)
        fake.replies.append(lambda handler: over.wait(10) and None)
        with self.assertRaises(sce.Timeout) as caught:
            self.executor_class(self.path, margin=0.1).execute("python", "1", timeout_ms=100)
        self.assertIsInstance(caught.exception, builtins.TimeoutError)

    def test_a_refusal_while_the_body_is_still_coming(self):
        fake, executor = self.start()
        fake.read_body = False

        def refuse(handler):
            # As Go's server does: the reply, then no more from this side, and
            # some patience for a caller that is still writing.
            text = b'{"code": "busy", "retry_after": 2}'
            handler.wfile.write(b"HTTP/1.1 429 Busy\r\nContent-Type: application/problem+json\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))
            handler.connection.shutdown(socket.SHUT_WR)
            time.sleep(0.5)

        fake.replies.append(refuse)
        with self.assertRaises(sce.Busy):
            executor.execute("python", "x" * (8 << 20))

    def test_a_body_that_is_large(self):
        fake, executor = self.start()
        fake.reply(200, {"status": "succeeded"})
        executor.execute("python", "x" * (3 << 20))
        self.assertEqual(3 << 20, len(fake.seen[0][2]["code"]))


class TestHangingUp(Case):
    def test_a_refusal_by_one_who_closes_at_once(self):
        fake, executor = self.start()
        fake.read_body = False
        fake.reply(429, {"code": "busy", "retry_after": 2})
        with self.assertRaises(sce.Busy):
            executor.execute("python", "x" * (8 << 20))


class TestPatience(Case):
    def test_who_has_retries_comes_back_when_told_and_no_more_often(self):
        busy = (429, {"code": "busy", "retry_after": 0.001, "reason": "caller_runs"})
        for name, retries, refusals, want in [
            ("none, the default", 0, 1, sce.Busy),
            ("enough", 2, 2, "succeeded"),
            ("too few", 2, 3, sce.Busy),
        ]:
            with self.subTest(name):
                self.setUp()
                fake, executor = self.start(retries=retries)
                for _ in range(refusals):
                    fake.reply(*busy)
                fake.reply(200, {"status": "succeeded"})
                if want is sce.Busy:
                    with self.assertRaises(sce.Busy):
                        executor.execute("python", "1")
                    self.assertEqual(retries + 1, len(fake.seen))
                else:
                    self.assertEqual(want, executor.execute("python", "1")["status"])
                    self.assertEqual(refusals + 1, len(fake.seen))

    def test_only_a_busy_daemon_is_asked_again(self):
        fake, executor = self.start(retries=5)
        for reply in [lambda: fake.reply(503, {"code": "setup_error"}), fake.hang_up]:
            reply()
            with self.assertRaises(sce.SafeExecError):
                executor.execute("python", "1")
        self.assertEqual(2, len(fake.seen), "what may have run is not run again")


class TestTCP(Case):
    def start_tcp(self):
        fake = Fake(("127.0.0.1", 0))
        self.addCleanup(fake.close)
        fake.reply(200, {"status": "succeeded"})
        return fake, "http://127.0.0.1:%d" % fake.server.server_address[1]

    def test_the_token_travels(self):
        for name, token, environment, want in [
            ("as given", "t0ken", {"SAFE_EXEC_TOKEN": "other"}, "Bearer t0ken"),
            ("from the environment", None, {"SAFE_EXEC_TOKEN": "other"}, "Bearer other"),
            ("none", None, {}, None),
        ]:
            with self.subTest(name), mock.patch.dict(os.environ, environment, clear=True):
                fake, url = self.start_tcp()
                self.executor_class(url=url, token=token).execute("python", "1")
                self.assertEqual(want, fake.seen[0][3].get("Authorization"))
                self.assertEqual(url, "http://" + fake.seen[0][3]["Host"])

    def test_a_socket_gets_no_token(self):
        fake, executor = self.start()
        fake.reply(200, {"status": "succeeded"})
        with mock.patch.dict(os.environ, {"SAFE_EXEC_TOKEN": "secret"}):
            self.executor_class(self.path).execute("python", "1")
        self.assertNotIn("Authorization", fake.seen[0][3])

    def test_where_a_token_may_not_go(self):
        for name, options, field in [
            ("another machine, in the clear", {"url": "http://example.org"}, "url"),
            ("a name that only looks like this machine", {"url": "http://localhost.example.org"}, "url"),
            ("a path", {"url": "http://127.0.0.1/x"}, "url"),
            ("a password", {"url": "http://a:b@127.0.0.1"}, "url"),
            ("no scheme", {"url": "127.0.0.1:80"}, "url"),
            ("a port that is none", {"url": "http://127.0.0.1:99999"}, "url"),
            ("a token without a url", {"token": "x"}, "url"),
            ("a socket and a url", {"socket_path": "/s", "url": "http://127.0.0.1"}, "url"),
            ("a token that would end the header", {"url": "http://127.0.0.1", "token": "a\r\nX: y"}, "token"),
            ("a token that is no ASCII", {"url": "http://127.0.0.1", "token": "ü"}, "token"),
        ]:
            with self.subTest(name), self.assertRaises(sce.InvalidRequest) as caught:
                self.executor_class(**options)
            self.assertEqual(field, caught.exception.field)
        self.executor_class(url="https://example.org", token="x")
        self.executor_class(url="http://[::1]:80", token="x")


class TestRequestsAsync(BothCase, TestRequests):
    pass


class TestErrorsAsync(BothCase, TestErrors):
    pass


class TestPatienceAsync(BothCase, TestPatience):
    pass


class TestTCPAsync(BothCase, TestTCP):
    pass


if __name__ == "__main__":
    unittest.main()
