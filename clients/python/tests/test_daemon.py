"""The promises of the API, against a real daemon."""

import concurrent.futures
import time
import unittest

import safe_code_executor as sce

from daemoncase import DaemonCase

FIXED = {"status", "execution_id", "stdout", "stderr", "result_json", "metrics"}
EXTRA = {"exit_code", "termination", "denials", "violations", "files", "files_skipped", "stdout_truncated", "stderr_truncated", "limits_applied", "policy", "policy_deny", "layers"}


class TestResults(DaemonCase):
    def test_the_first_example_in_python(self):
        result = self.executor.execute(
            language="python", code='import json\ndata = {"a": 1, "b": 2}\nprint(json.dumps({"sum": data["a"] + data["b"]}))'
        )
        self.assertEqual("succeeded", result["status"], result)
        self.assertEqual('{"sum": 3}\n', result["stdout"])
        self.assertEqual({"sum": 3}, result["result_json"])
        self.assertEqual(set(), (FIXED | EXTRA) - set(result), "fields are missing")
        self.assertEqual("completed", result["termination"]["reason"])
        self.assertEqual(0, result["exit_code"])
        self.assertEqual(len(result["stdout"]), result["metrics"]["stdout_bytes"])
        self.assertGreater(result["metrics"]["execution_time_ms"], 0)
        self.assertTrue(result["layers"])

    def test_the_first_example_in_javascript(self):
        result = self.executor.execute(
            language="javascript", code="const data = {a: 1, b: 2}; console.log(JSON.stringify({sum: data.a + data.b}));"
        )
        self.assertEqual("succeeded", result["status"], result)
        self.assertEqual('{"sum":3}\n', result["stdout"])
        self.assertEqual({"sum": 3}, result["result_json"])

    def test_languages_have_aliases(self):
        for alias, code in [("py", "print(1)"), ("python3", "print(1)"), ("js", "console.log(1)"), ("node", "console.log(1)")]:
            with self.subTest(alias):
                self.assertEqual(1, self.executor.execute(alias, code)["result_json"])

    def test_how_programs_end(self):
        rows = [
            ("an exception", "1/0", "failed", "exception", "ZeroDivisionError"),
            ("an exit status", "import sys; sys.exit(3)", "failed", "exit_nonzero", ""),
            ("an exit status that looks like a kill", "import os; os._exit(137)", "failed", "exit_nonzero", ""),
            ("a syntax error", "def f(:\n  pass", "failed", "syntax_error", ""),
        ]
        for name, code, status, reason, stderr in rows:
            with self.subTest(name):
                result = self.run_python(code)
                self.assertEqual((status, reason), (result["status"], result["termination"]["reason"]), result)
                self.assertIn(stderr, result["stderr"])
                self.assertTrue(result["termination"]["hint"])

    def test_the_policy_says_no_before_anything_runs(self):
        result = self.executor.execute("python", "print('ran')\nimport os")
        self.assertEqual(("rejected", ""), (result["status"], result["stdout"]), result)
        self.assertEqual(("os", 2), (result["violations"][0]["name"], result["violations"][0]["line"]))

    def test_output_that_is_not_text(self):
        result = self.run_python("import os; os.write(1, b'a\\xff\\x00\\x1b[0m\\xed\\xa0\\x80')")
        self.assertEqual("succeeded", result["status"], result)
        self.assertTrue(result["stdout"].startswith("a\ufffd\x00\x1b[0m"), repr(result["stdout"]))


class TestPolicies(DaemonCase):
    def test_a_check_runs_nothing(self):
        for language, code, imports in [("python", "import json\nwhile True: pass", ["json"]), ("javascript", "for (;;) {}", [])]:
            with self.subTest(language):
                checked = self.executor.check(language, code)
                self.assertTrue(checked["would_run"], checked)
                self.assertEqual(imports, checked["imports"])
                self.assertEqual(5000, checked["limits_applied"]["timeout_ms"])

    def test_a_check_says_what_is_refused(self):
        checked = self.executor.check("python", "import os\nopen('x')")
        self.assertFalse(checked["would_run"])
        self.assertEqual(["os", "open"], [v["name"] for v in checked["violations"]])
        checked = self.executor.check("python", "x = (")
        self.assertEqual("syntax_error", checked["termination"]["reason"])

    def test_a_request_takes_modules_out(self):
        code = "import random"
        for policy, status in [("strict", "succeeded"), ({"level": "strict", "deny": ["random"]}, "rejected"), ({"deny": ["json"]}, "succeeded")]:
            with self.subTest(str(policy)):
                result = self.executor.execute("python", code, policy=policy)
                self.assertEqual(status, result["status"], result)
        self.assertEqual(["json"], result["policy_deny"])

    def test_a_module_that_nobody_lists_is_a_mistake(self):
        with self.assertRaises(sce.InvalidRequest) as caught:
            self.executor.execute("python", "print(1)", policy={"deny": ["json", "jsno"]})
        self.assertEqual(("policy.deny[1]", "jsno"), (caught.exception.field, caught.exception.value))

    def test_what_the_daemon_says_it_allows_it_allows(self):
        rules = self.executor.policy("python")
        self.assertEqual(("strict", True), (rules["name"], rules["default"]))
        code = "\n".join("import " + name for name in rules["imports"])
        self.assertEqual(sorted(rules["imports"]), self.executor.check("python", code)["imports"])
        for name in rules["blocked_imports"]:
            self.assertFalse(self.executor.check("python", "import " + name)["would_run"], name)
        for name in rules["blocked_names"]:
            self.assertFalse(self.executor.check("python", "x = " + name)["would_run"], name)

    def test_the_tool_declares_the_limits_that_hold(self):
        limits = self.executor.policy("python")["limits"]
        most = sce.tool_schema("mcp", limits=limits)["inputSchema"]["properties"]["timeout_ms"]["maximum"]
        self.assertEqual("succeeded", self.executor.run_tool_call({"language": "python", "code": "1", "timeout_ms": most}).result["status"])
        self.assertIn("the maximum is %d" % most, self.executor.run_tool_call({"language": "python", "code": "1", "timeout_ms": most + 1}))

    def test_a_prompt_is_one_paragraph(self):
        text = self.executor.prompt("javascript")
        self.assertIn("JavaScript for Node", text)
        self.assertEqual(1, text.count("\n"), text)


class TestLimits(DaemonCase):
    def test_a_loop_times_out(self):
        for language, code in [("python", "while True: pass"), ("javascript", "for (;;) {}")]:
            with self.subTest(language):
                result = self.executor.execute(language, code, timeout_ms=1000)
                self.assertEqual(("timed_out", "wall_timeout"), (result["status"], result["termination"]["reason"]), result)
                self.assertEqual(1000, result["limits_applied"]["timeout_ms"])
                self.assertGreaterEqual(result["metrics"]["execution_time_ms"], 1000)

    def test_a_memory_hog_is_told_so(self):
        code = "x = []\nwhile True: x.append(bytearray(b'1' * (1 << 20)))"
        result = self.run_python(code, max_memory_mb=64, timeout_ms=10000)
        self.assertEqual(("failed", "memory_limit"), (result["status"], result["termination"]["reason"]), result)
        self.assertIn("cgroup", [e["source"] for e in result["termination"]["evidence"]])

    def test_output_is_capped_and_counted(self):
        result = self.run_python("print('x' * 1000000)", limits={"max_stdout_bytes": 1000})
        self.assertEqual("succeeded", result["status"], result)
        self.assertTrue(result["stdout_truncated"])
        self.assertLessEqual(len(result["stdout"]), 1200)
        self.assertEqual(1000001, result["metrics"]["stdout_bytes"])

    def test_output_that_is_cut_is_as_the_documents_say(self):
        text = "".join(map(chr, range(33, 123))) + "\n"
        for most in (1, 2, 51, 90):
            with self.subTest(most):
                events = list(self.executor.stream("python", "print(''.join(map(chr, range(33, 123))))", limits={"max_stdout_bytes": most}))
                (result,) = [e.data for e in events if e.kind == "result"]
                first = most - most // 2
                line = "\n[... %d bytes omitted ...]\n" % (len(text) - most)
                self.assertEqual(text[:first] + line + text[len(text) - most // 2 :], result["stdout"])
                self.assertEqual(text[:most], "".join(e.data["text"] for e in events if e.kind == "stdout"))

    def test_bad_requests_name_the_field(self):
        rows = [
            ("an unknown language", {"language": "perl"}, "language"),
            ("empty code", {"code": ""}, "code"),
            ("code over a mebibyte", {"code": "#" * (1 << 20) + "#"}, "code"),
            ("half a character", {"code": "\ud800"}, "code"),
            ("an unknown policy", {"policy": "none"}, "policy"),
            ("zero", {"timeout_ms": 0}, "limits.timeout_ms"),
            ("a negative limit", {"max_memory_mb": -1}, "limits.max_memory_mb"),
            ("a fraction", {"timeout_ms": 1.5}, "limits.timeout_ms"),
            ("not a number", {"timeout_ms": float("nan")}, "limits.timeout_ms"),
            ("a limit over its maximum", {"timeout_ms": 10 ** 9}, "limits.timeout_ms"),
            ("a number over 64 bits", {"timeout_ms": 10 ** 30}, "limits.timeout_ms"),
            ("an unknown limit", {"limits": {"cpus": 4}}, "limits.cpus"),
        ]
        for name, edit, field in rows:
            with self.subTest(name):
                with self.assertRaises(sce.InvalidRequest) as caught:
                    self.executor.execute(**dict({"language": "python", "code": "print(1)"}, **edit))
                self.assertEqual(field, caught.exception.field)

    def test_a_limit_over_its_maximum_says_the_maximum(self):
        with self.assertRaises(sce.InvalidRequest) as caught:
            self.executor.execute("python", "print(1)", timeout_ms=10 ** 9)
        self.assertEqual((422, 10 ** 9), (caught.exception.status, caught.exception.value))
        self.assertGreater(caught.exception.maximum, 0)


class TestConcurrency(DaemonCase):
    def run_patiently(self, code):
        while True:
            try:
                return self.run_python(code)
            except sce.Busy as e:
                # The daemon's own word on when to come back.
                time.sleep(e.retry_after)

    def test_parallel_calls_do_not_mix(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            codes = ["open('mine', 'x').write('%d'); print(open('mine').read())" % n for n in range(12)]
            results = list(pool.map(self.run_patiently, codes))
        self.assertEqual(list(range(12)), [r["result_json"] for r in results], results)
        self.assertEqual(12, len({r["execution_id"] for r in results}))


if __name__ == "__main__":
    unittest.main()
