"""Jobs, streams and files, against a real daemon."""

import asyncio
import os
import tempfile
import time
import unittest
import urllib.parse

import safe_code_executor as sce
from safe_code_executor import calls, inputs

from daemoncase import DaemonCase

READS_CSV = """
import workdir
rows = [line.split(",") for line in workdir.read_text("in.csv").split()[1:]]
workdir.write_text("out/total.txt", str(sum(int(n) for _, n in rows)))
print(len(rows))
"""


class TestJobs(DaemonCase):
    def test_a_job_gives_the_same_result(self):
        result = self.executor.submit("python", "print(42)").wait(timeout=60)
        self.assertEqual(("succeeded", 42), (result["status"], result["result_json"]))
        self.assertEqual(1, result["metrics"]["attempt"])

    def test_a_cancelled_job_ends(self):
        job = self.executor.submit("python", "import time; time.sleep(30)", timeout_ms=30000)
        job.cancel()
        result = job.wait(timeout=20)
        self.assertEqual(("cancelled", "cancelled"), (result["status"], result["termination"]["reason"]))

    def test_an_unknown_job_is_not_found(self):
        with self.assertRaises(sce.NotFound):
            self.executor.job("job_AAAAAAAAAAAAAAAAAAAAAAAAAA").info()

    def test_a_key_makes_one_job(self):
        key = os.urandom(8).hex()
        first = self.executor.submit("python", "print(1)", idempotency_key=key)
        self.assertEqual(first.id, self.executor.submit("python", "print(1)", idempotency_key=key).id)
        with self.assertRaises(sce.InvalidRequest) as caught:
            self.executor.submit("python", "print(2)", idempotency_key=key)
        self.assertEqual((422, "Idempotency-Key"), (caught.exception.status, caught.exception.field))
        first.wait(timeout=60)

    def test_a_job_is_listed_newest_first(self):
        jobs = [self.executor.submit("python", "print(%d)" % n) for n in range(3)]
        ids = []
        for job in self.executor.jobs(page=2):
            self.assertNotIn("result", job)
            ids.append(job["job_id"])
            if len(ids) == 3:
                break
        self.assertEqual([job.id for job in reversed(jobs)], ids)
        for job in jobs:
            job.wait(timeout=60)
        self.assertIn(jobs[0].id, [job["job_id"] for job in self.executor.jobs(status="succeeded")])

    def test_a_job_that_would_be_refused_is_refused_at_once(self):
        with self.assertRaises(sce.InvalidRequest) as caught:
            self.executor.submit("python", "print(1)", timeout_ms=10 ** 9)
        self.assertEqual("limits.timeout_ms", caught.exception.field)


class TestStreams(DaemonCase):
    def check(self, events, kinds):
        self.assertEqual(kinds, [e.kind for e in events if e.kind in kinds and e.kind not in ("stdout", "stderr")])
        text = "".join(e.data["text"] for e in events if e.kind == "stdout")
        self.assertEqual("0\n1\n2\nü\n", text)
        result = next(e.data for e in events if e.kind == "result")
        self.assertEqual(("succeeded", text), (result["status"], result["stdout"]))

    CODE = "for n in range(3): print(n)\nprint('ü')"

    def test_a_run_streams(self):
        self.check(list(self.executor.stream("python", self.CODE)), ["started", "result", "done"])

    def test_output_comes_while_the_program_runs(self):
        code = "import time\nprint('first', flush=True)\ntime.sleep(20)"
        with_output = self.executor.stream("python", code, timeout_ms=30000)
        begin = time.monotonic()
        first = next(e for e in with_output if e.kind == "stdout")
        self.assertEqual("first\n", first.data["text"])
        self.assertLess(time.monotonic() - begin, 15)
        with_output.close()  # kills the run

    def test_a_job_streams_and_streams_again(self):
        job = self.executor.submit("python", self.CODE)
        whole = list(job.events())
        self.check(whole, ["queued", "started", "result", "done"])
        again = list(job.events())
        self.assertEqual([e.kind for e in whole if e.kind != "stdout"], [e.kind for e in again if e.kind != "stdout"])
        rest = list(job.events(last_event_id=again[1].id))
        self.assertEqual([e.id for e in again[2:]], [e.id for e in rest])

    def test_refused_calls_are_events(self):
        events = list(self.executor.stream("python", "import socket\ntry: socket.socket()\nexcept OSError: pass", policy="relaxed"))
        self.assertIn({"syscall": "socket"}, [e.data for e in events if e.kind == "denial"])

    def test_what_is_refused_before_it_starts_is_an_exception(self):
        with self.assertRaises(sce.InvalidRequest):
            list(self.executor.stream("python", "print(1)", timeout_ms=0))


class TestFiles(DaemonCase):
    def test_a_file_goes_in_and_one_comes_back(self):
        result = self.executor.execute("python", READS_CSV, files={"in.csv": "name,n\na,1\nb,2\n"})
        self.assertEqual("succeeded", result["status"], result)
        self.assertEqual(("3", 2), (result.file("out/total.txt").text, result["result_json"]))
        with tempfile.TemporaryDirectory() as into:
            (path,) = result.save_files(into)
            with open(path) as f:
                self.assertEqual("3", f.read())

    def test_javascript_does_the_same(self):
        code = "const w = require('workdir'); w.writeBytes('b', new Uint8Array([255, 0])); console.log(w.readText('a'))"
        result = self.executor.execute("javascript", code, files={"a": "x"})
        self.assertEqual(("succeeded", "x\n"), (result["status"], result["stdout"]), result)
        self.assertEqual(b"\xff\0", result.file("b").content)

    def test_only_what_is_asked_for_comes_back(self):
        code = "import workdir\nfor n in ('a.txt', 'b.png'): workdir.write_text(n, n)"
        for collect, want in [(None, ["a.txt", "b.png"]), (["*.png"], ["b.png"]), ([], [])]:
            with self.subTest(repr(collect)):
                result = self.executor.execute("python", code, collect=collect)
                self.assertEqual(want, [f.path for f in result.files], result)

    def test_stdin_arguments_and_environment(self):
        code = "import json, workdir\nprint(json.dumps([workdir.stdin(), list(workdir.args), dict(workdir.env).get('NAME')]))"
        result = self.executor.execute("python", code, stdin="ü\n", args=["a", "b c"], env={"NAME": "v"})
        self.assertEqual(["ü\n", ["a", "b c"], "v"], result["result_json"], result)

    def test_bad_inputs_name_the_field(self):
        for name, options, field in [
            ("a path that leads out", {"files": {"a": "", "../x": ""}}, "files[1].path"),
            ("an absolute path", {"files": {"/etc/x": ""}}, "files[0].path"),
            ("what steers the loader", {"env": {"LD_PRELOAD": "x"}}, "env.LD_PRELOAD"),
        ]:
            with self.subTest(name), self.assertRaises(sce.InvalidRequest) as caught:
                self.executor.execute("python", "print(1)", **options)
            self.assertEqual(field, caught.exception.field)


class TestDescription(DaemonCase):
    def test_the_daemon_describes_all_that_the_client_sends(self):
        described = self.executor._call(calls.Call("GET", "/openapi.json", 20))
        body = inputs.build(
            "python", "1", policy="strict", timeout_ms=1, max_memory_mb=1, limits={"max_stdout_bytes": 1, "max_stderr_bytes": 1},
            profile="p", stdin="", args=[], env={}, files={"a": "", "b": b""}, collect=[],
        )
        sent = [
            calls.run(body, 0), calls.run(body, 0, "?dry_run=1"), calls.run(body, 0, "?stream=1"), calls.submit(body, 0, None, 60),
            calls.job("ID", 0, 1), calls.cancel("ID", 0), calls.events("ID", 0, "1.1"), calls.list_jobs(0, "queued", 1, "x"),
            calls.policy("python", "strict", 0),
        ]
        for call in sent:
            with self.subTest(call.method + " " + call.target):
                path, _, query = call.target.partition("?")
                operation = described["paths"][path.replace("ID", "{id}")][call.method.lower()]
                shared = described["components"]["parameters"]
                known = {shared[p["$ref"].rpartition("/")[2]]["name"] if "$ref" in p else p["name"] for p in operation["parameters"]}
                self.assertLessEqual(set(urllib.parse.parse_qs(query)) | set(call.headers), known)
        schemas = described["components"]["schemas"]
        self.assertLessEqual(set(body), set(schemas["Request"]["properties"]))
        self.assertLessEqual(set(body["limits"]), set(schemas["Request"]["properties"]["limits"]["properties"]))
        self.assertEqual({"path", "content", "content_base64"}, set(schemas["InputFile"]["properties"]))
        self.assertEqual({"path", "size", "sha256", "text", "content_base64"}, set(schemas["File"]["properties"]))


class TestAsyncio(DaemonCase):
    def test_the_same_names_awaited(self):
        async def go():
            executor = sce.AsyncSafeCodeExecutor(retries=10)
            results = await asyncio.gather(*(executor.execute("python", "print(%d)" % n) for n in range(8)))
            job = await executor.submit("python", "print(8)")
            results.append(await job.wait(timeout=60))
            kinds = [e.kind async for e in job.events()]
            return [r["result_json"] for r in results], kinds[-1]

        self.assertEqual((list(range(9)), "done"), asyncio.run(go()))


if __name__ == "__main__":
    unittest.main()
