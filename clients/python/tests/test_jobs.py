"""Jobs and streams, under replies that get lost."""

import threading
import unittest
from unittest import mock

import safe_code_executor as sce

from fakecase import BothCase, Case

QUEUED = ("1.1", "queued", {"job_id": "job_1"})
STARTED = ("1.2", "started", {"attempt": 1})
RESULT = ("1.5", "result", {"status": "succeeded", "stdout": "ab"})
DONE = ("1.6", "done", {"status": "succeeded"})


def out(id_, text):
    return (id_, "stdout", {"text": text})


def kinds(events):
    return [e.kind for e in events]


class JobsCase(Case):
    def setUp(self):
        super().setUp()
        # The pauses between tries are of no interest here.
        for name in ("flows.random", "events.random"):
            patch = mock.patch("safe_code_executor.%s.uniform" % name, return_value=0.001)
            patch.start()
            self.addCleanup(patch.stop)


class TestJobs(JobsCase):
    def test_submit_wait_and_cancel(self):
        fake, executor = self.start()
        fake.reply(202, {"job_id": "job_1", "status": "queued"})
        job = executor.submit("python", "1", timeout_ms=5, ttl=90)
        self.assertEqual("job_1", job.id)
        fake.reply(200, {"job_id": "job_1", "status": "queued"})
        fake.reply(200, {"job_id": "job_1", "status": "running"})
        fake.reply(200, {"job_id": "job_1", "status": "succeeded", "result": {"status": "succeeded"}})
        self.assertEqual({"status": "succeeded"}, job.wait())
        fake.reply(200, {"job_id": "job_1", "status": "succeeded"})
        self.assertEqual("succeeded", job.status())
        fake.reply(200, {"job_id": "job_1", "status": "cancelled"})
        self.assertEqual("cancelled", job.cancel()["status"])
        self.assertEqual(
            [("POST", "/v1/tools/safe-exec/async?ttl=90000ms")]
            + [("GET", "/v1/jobs/job_1?wait=25000ms")] * 3
            + [("GET", "/v1/jobs/job_1"), ("DELETE", "/v1/jobs/job_1")],
            [(method, path) for method, path, _, _ in fake.seen],
        )
        self.assertEqual({"language": "python", "code": "1", "limits": {"timeout_ms": 5}}, fake.seen[0][2])

    def test_a_job_whose_reply_was_lost_is_sent_again_under_its_key(self):
        fake, executor = self.start()
        fake.hang_up()
        fake.cut()
        fake.reply(202, {"job_id": "job_1", "status": "queued"})
        self.assertEqual("job_1", executor.submit("python", "1").id)
        keys = {headers["Idempotency-Key"] for _, _, _, headers in fake.seen}
        self.assertEqual((3, 1), (len(fake.seen), len(keys)))
        fake.reply(202, {"job_id": "job_2"})
        executor.submit("python", "1")
        self.assertNotIn(fake.seen[-1][3]["Idempotency-Key"], keys, "another call is another job")

    def test_a_daemon_that_always_hangs_up_is_left(self):
        fake, executor = self.start()
        for _ in range(9):
            fake.hang_up()
        with self.assertRaises(sce.ConnectionError):
            executor.submit("python", "1")
        self.assertEqual(4, len(fake.seen))

    def test_who_never_got_there_is_not_made_to_wait(self):
        with mock.patch("time.sleep") as slept, mock.patch("asyncio.sleep") as awaited, self.assertRaises(sce.ConnectionError) as caught:
            self.executor_class(self.path).submit("python", "1")
        self.assertEqual((False, 0, 0), (caught.exception.sent, slept.call_count, awaited.call_count))

    def test_keys_of_the_caller(self):
        fake, executor = self.start()
        fake.reply(202, {"job_id": "job_1"})
        executor.submit("python", "1", idempotency_key="order 7")
        self.assertEqual("order 7", fake.seen[0][3]["Idempotency-Key"])
        fake.reply(422, {"code": "conflict", "field": "Idempotency-Key"})
        with self.assertRaises(sce.InvalidRequest) as caught:
            executor.submit("python", "2", idempotency_key="order 7")
        self.assertEqual("Idempotency-Key", caught.exception.field)
        for key in ["", "a\r\nX: y", "ü", "x" * 256, " padded "]:
            with self.subTest(repr(key)), self.assertRaises(sce.InvalidRequest) as caught:
                executor.submit("python", "1", idempotency_key=key)
            self.assertEqual("Idempotency-Key", caught.exception.field)

    def test_a_job_with_an_error_raises_it(self):
        fake, executor = self.start()
        fake.reply(200, {"job_id": "j", "status": "error", "error": {"code": "setup_error", "status": 503, "step": "pivot"}})
        with self.assertRaises(sce.SetupError) as caught:
            executor.job("j").wait()
        self.assertEqual("pivot", caught.exception.step)

    def test_a_wait_ends(self):
        fake, executor = self.start()
        for _ in range(2):
            fake.reply(200, {"job_id": "j", "status": "running"})
        with self.assertRaises(sce.Timeout):
            executor.job("j").wait(timeout=0)

    def test_a_daemon_that_starts_again_is_waited_for(self):
        fake, executor = self.start()
        fake.reply(200, {"job_id": "j", "status": "running"})
        fake.hang_up()
        fake.reply(503, {"code": "unavailable"})
        fake.reply(200, {"job_id": "j", "status": "succeeded", "result": {"status": "succeeded"}})
        self.assertEqual("succeeded", executor.job("j").wait()["status"])
        fake.hang_up()
        with self.assertRaises(sce.ConnectionError):
            executor.job("j").wait()
        self.assertEqual(5, len(fake.seen), "one that was never there is not")

    def test_a_daemon_that_does_not_come_back_is_left(self):
        fake, executor = self.start()
        fake.reply(200, {"job_id": "j", "status": "running"})
        for _ in range(20):
            fake.hang_up()
        with self.assertRaises(sce.ConnectionError):
            executor.job("j").wait()
        self.assertEqual(10, len(fake.seen))

    def test_a_daemon_that_says_when_to_come_back_is_asked_again_until_it_answers(self):
        for name, refusal in [
            ("no room, in the problem", (429, {"code": "busy", "retry_after": 1}, {})),
            ("no room, in the header", (429, {}, {"Retry_After": "1"})),
            ("no room, without a time", (429, {"code": "busy"}, {})),
            ("about to be back", (503, {"code": "unavailable"}, {"Retry_After": "1"})),
        ]:
            for seen in ([], [{"job_id": "j", "status": "running"}]):
                with self.subTest(name, seen=bool(seen)):
                    self.setUp()
                    fake, executor = self.start()
                    for job in seen:
                        fake.reply(200, job)
                    for _ in range(12):
                        fake.reply(refusal[0], refusal[1], **refusal[2])
                    fake.reply(200, {"job_id": "j", "status": "succeeded", "result": {"status": "succeeded"}})
                    self.assertEqual("succeeded", executor.job("j").wait()["status"])
                    self.assertEqual(13 + len(seen), len(fake.seen))

    def test_a_wait_for_room_ends_with_the_callers_time(self):
        fake, executor = self.start()
        now = [0.0]
        for _ in range(100):
            fake.reply(429, {"code": "busy", "retry_after": 3600})  # 3.6 s here
        last = fake.replies[1]
        fake.replies[1] = lambda handler: now.__setitem__(0, 1.0) or last
        # By a clock of its own: however slow the daemon is, the time is not over sooner.
        with mock.patch("safe_code_executor.flows.time", mock.Mock(monotonic=lambda: now[0])), self.assertRaises(sce.Timeout):
            executor.job("j").wait(timeout=0.05)
        self.assertEqual(2, len(fake.seen), "at its begin and at its end")
        flow = sce.flows.wait("j", 1, 5)
        next(flow)
        self.assertLessEqual(flow.throw(sce.Busy("", 429, {"retry_after": 3600})).seconds, 1)

    def test_an_id_stays_one_part_of_the_path(self):
        fake, executor = self.start()
        fake.reply(404, {"code": "not_found"})
        with self.assertRaises(sce.NotFound):
            executor.job("../tools/x?y").info()
        self.assertEqual("/v1/jobs/..%2Ftools%2Fx%3Fy", fake.seen[0][1])

    def test_all_pages_of_a_list(self):
        fake, executor = self.start()
        fake.reply(200, {"jobs": [{"job_id": "c"}, {"job_id": "b"}], "next": "n/1"})
        fake.reply(200, {"jobs": [], "next": "n2"})
        fake.reply(200, {"jobs": [{"job_id": "a"}]})
        self.assertEqual(["c", "b", "a"], [j["job_id"] for j in executor.jobs(status="running", page=2)])
        self.assertEqual(
            ["/v1/jobs?status=running&limit=2", "/v1/jobs?status=running&limit=2&after=n%2F1", "/v1/jobs?status=running&limit=2&after=n2"],
            [path for _, path, _, _ in fake.seen],
        )

    def test_a_list_whose_cursor_stands_still_ends(self):
        fake, executor = self.start()
        for _ in range(9):
            fake.reply(200, {"jobs": [{"job_id": "a"}], "next": "n"})
        self.assertEqual(2, len(list(executor.jobs())))


class TestEvents(JobsCase):
    def test_events_of_a_job(self):
        fake, executor = self.start()
        fake.events(QUEUED, STARTED, b": still here\n\n", out("1.3", "a\u00fc"), out("1.4", "b"), RESULT, DONE)
        events = list(executor.job("job_1").events())
        self.assertEqual(["queued", "started", "stdout", "stdout", "result", "done"], kinds(events))
        self.assertEqual(("a\u00fc", "1.3"), (events[2].data["text"], events[2].id))
        self.assertIsInstance(events[4].data, sce.Result)
        self.assertEqual(("GET", "/v1/jobs/job_1/events"), fake.seen[0][:2])
        self.assertNotIn("Last-Event-ID", fake.seen[0][3])

    def test_a_stream_goes_on_where_it_broke(self):
        for name, breaks in [
            ("in the midst", lambda f: f.events(QUEUED, STARTED, out("1.3", "a"), end=False)),
            ("in the midst of an event", lambda f: f.events(QUEUED, STARTED, out("1.3", "a"), b"id: 1.4\nevent: std", end=False)),
            ("in order, without a verdict", lambda f: f.events(QUEUED, STARTED, out("1.3", "a"))),
        ]:
            with self.subTest(name):
                self.setUp()
                fake, executor = self.start()
                breaks(fake)
                fake.hang_up()
                fake.reply(503, {"code": "unavailable"})
                fake.reply(429, {"code": "busy", "retry_after": 0.001})
                fake.events(out("1.4", "b"), RESULT, DONE)
                events = list(executor.job("job_1").events())
                self.assertEqual(["queued", "started", "stdout", "stdout", "result", "done"], kinds(events))
                self.assertEqual([None] + ["1.3"] * 4, [h.get("Last-Event-ID") for _, _, _, h in fake.seen])

    def test_what_was_told_is_not_told_again(self):
        fake, executor = self.start()
        fake.events(QUEUED, STARTED, out("1.3", "a"), end=False)
        # One that knows no more where it was begins at the start, and its
        # verdict has a number of its own.
        fake.events(QUEUED, STARTED, out("1.3", "a"), ("1.2", "result", {"status": "succeeded"}), ("1.3", "done", {}))
        self.assertEqual(["queued", "started", "stdout", "result", "done"], kinds(executor.job("job_1").events()))

    def test_another_attempt_is_told(self):
        fake, executor = self.start()
        fake.events(QUEUED, STARTED, out("1.3", "a"), end=False)
        fake.events(("2.1", "started", {"attempt": 2}), out("2.2", "a"), ("2.3", "result", {}), ("2.4", "done", {}))
        events = list(executor.job("job_1").events())
        self.assertEqual(["queued", "started", "stdout", "started", "stdout", "result", "done"], kinds(events))

    def test_who_knows_where_he_was_goes_on_there(self):
        fake, executor = self.start()
        fake.events(RESULT, DONE)
        self.assertEqual(["result", "done"], kinds(executor.job("j").events(last_event_id="1.4")))
        self.assertEqual("1.4", fake.seen[0][3]["Last-Event-ID"])

    def test_a_stream_waits_for_room_as_often_as_it_takes(self):
        fake, executor = self.start()
        fake.events(QUEUED, STARTED, end=False)
        for _ in range(12):
            fake.reply(429, {"code": "busy", "retry_after": 1})
        fake.events(RESULT, DONE)
        self.assertEqual(["queued", "started", "result", "done"], kinds(executor.job("j").events()))

    def test_a_stream_that_only_breaks_is_left(self):
        fake, executor = self.start()
        for _ in range(20):
            fake.events(QUEUED, end=False)
        with self.assertRaises(sce.ConnectionError):
            list(executor.job("j").events())
        self.assertEqual(9, len(fake.seen), "one with an event and eight without a new one")

    def test_no_verdict_is_an_exception(self):
        fake, executor = self.start()
        error = ("1.3", "error", {"code": "setup_error", "status": 503, "step": "pivot", "detail": "no jail"})
        fake.events(QUEUED, STARTED, error, ("1.4", "done", {"status": "error"}))
        with self.assertRaises(sce.SetupError) as caught:
            list(executor.job("j").events())
        self.assertEqual("pivot", caught.exception.step)

    def test_streams_that_are_none(self):
        for name, reply, kind in [
            ("a page", lambda f: f.reply(200, b"<h1>", "text/html"), sce.InternalError),
            ("no JSON", lambda f: f.events(b"event: stdout\ndata: x\n\n"), sce.InternalError),
            ("no object", lambda f: f.events(b"event: stdout\ndata: [1]\n\n"), sce.InternalError),
            ("no such job", lambda f: f.reply(404, {"code": "not_found"}), sce.NotFound),
        ]:
            with self.subTest(name):
                self.setUp()
                fake, executor = self.start()
                reply(fake)
                with self.assertRaises(kind):
                    list(executor.job("j").events())
                self.assertEqual(1, len(fake.seen), "trying again would not help")


class TestStreams(JobsCase):
    def test_a_run_that_is_streamed(self):
        fake, executor = self.start()
        fake.events(STARTED, out("1.3", "a"), RESULT, DONE)
        events = list(executor.stream("python", "1", stdin="x", timeout_ms=7))
        self.assertEqual(["started", "stdout", "result", "done"], kinds(events))
        self.assertEqual(("POST", "/v1/tools/safe-exec?stream=1"), fake.seen[0][:2])
        self.assertEqual({"language": "python", "code": "1", "stdin": "x", "limits": {"timeout_ms": 7}}, fake.seen[0][2])

    def test_a_run_that_breaks_is_not_run_again(self):
        for name, end in [("broken", False), ("without a verdict", True)]:
            with self.subTest(name):
                self.setUp()
                fake, executor = self.start(retries=5)
                fake.events(STARTED, out("1.3", "a"), end=end)
                with self.assertRaises(sce.ConnectionError):
                    list(executor.stream("python", "1"))
                self.assertEqual(1, len(fake.seen))

    def test_a_busy_daemon_is_asked_again_by_who_wants_that(self):
        fake, executor = self.start(retries=1)
        fake.reply(429, {"code": "busy", "retry_after": 0.001})
        fake.events(STARTED, RESULT, DONE)
        self.assertEqual(["started", "result", "done"], kinds(executor.stream("python", "1")))

    def test_who_stops_listening_hangs_up(self):
        fake, executor = self.start()
        gone = threading.Event()

        def write(handler):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: started\ndata: {}\n\n")
            if handler.rfile.read(1) == b"":
                gone.set()

        fake.replies.append(write)
        events = executor.stream("python", "1")
        self.assertEqual("started", next(events).kind)
        events.close()
        self.assertTrue(gone.wait(10), "the daemon would not know that it shall stop")


class TestJobsAsync(BothCase, TestJobs):
    pass


class TestEventsAsync(BothCase, TestEvents):
    pass


class TestStreamsAsync(BothCase, TestStreams):
    pass


class TestPauses(unittest.TestCase):
    def test_how_long_is_waited_for_a_daemon(self):
        for name, error, least, most in [
            ("that says when", sce.Busy("", 429, {"retry_after": 120}), 120, 150),
            ("that says it by a header", sce.Busy("", 429, {"retry_after": "30"}), 30, 37.5),
            ("that is full and does not say", sce.Busy("", 429, {}), 1, 1.25),
            ("that says no number", sce.Busy("", 429, {"retry_after": "Fri, 31 Dec 1999 23:59:59 GMT"}), 1, 1.25),
            ("that says what no clock takes", sce.Busy("", 429, {"retry_after": "9" * 400}), 86400, 108000),
            ("that says nonsense", sce.Busy("", 429, {"retry_after": float("nan")}), 1, 1.25),
            ("that ends and says when", sce.Unavailable("", 503, {"retry_after": 120}), 120, 150),
            ("that ends", sce.Unavailable("", 503, {}), 0.075, 0.125),
        ]:
            with self.subTest(name):
                pause = sce.events.Backoff().pause(error)
                self.assertTrue(least <= pause <= most, pause)


class TestParser(unittest.TestCase):
    def test_pieces_of_any_size_give_the_same_events(self):
        text = (
            b"\xef\xbb\xbf: hello\r\n\r\nid: 1.1\rdata: {\"a\":\r\ndata: 1}\nevent: one\n\n"
            b"event: empty\n\ndata:{}\nretry: 5\nunknown\nid: a\0b\n\r\n" + 'data: {"text": "ü"}\n\n'.encode()
        )
        want = None
        for size in range(1, len(text) + 1):
            parser = sce.events.Parser()
            got = [e for at in range(0, len(text), size) for e in parser.feed(text[at : at + size])]
            if want is None:
                want = got
                self.assertEqual([("one", {"a": 1}, "1.1"), ("", {}, "1.1"), ("", {"text": "ü"}, "1.1")], [tuple(e) for e in got])
            self.assertEqual(want, got, size)

    def test_an_event_has_an_end(self):
        for name, piece in [("a line", b"x" * (1 << 20)), ("many lines", b"data: " + b"x" * (1 << 20) + b"\n")]:
            with self.subTest(name), self.assertRaises(sce.InternalError):
                parser = sce.events.Parser()
                for _ in range(65):
                    list(parser.feed(piece))

    def test_a_long_stream_is_no_long_event(self):
        parser = sce.events.Parser()
        piece = b"data: {\"text\": \"" + b"x" * (1 << 20) + b"\"}\n\n"
        self.assertEqual(70, sum(len(list(parser.feed(piece))) for _ in range(70)))


if __name__ == "__main__":
    unittest.main()
