"""The executor as a tool of a model."""

import json
import unittest

import safe_code_executor as sce

from fakecase import BothCase, Case


class TestSchema(unittest.TestCase):
    def test_formats(self):
        openai = sce.tool_schema()
        self.assertEqual(("function", "run_code"), (openai["type"], openai["function"]["name"]))
        schema = openai["function"]["parameters"]
        anthropic, mcp = sce.tool_schema("anthropic", name="python"), sce.SafeCodeExecutor.tool_schema("mcp", description="d")
        self.assertEqual(({"name", "description", "input_schema"}, "python"), (set(anthropic), anthropic["name"]))
        self.assertEqual(({"name", "description", "inputSchema"}, "d"), (set(mcp), mcp["description"]))
        self.assertEqual([schema, schema], [anthropic["input_schema"], mcp["inputSchema"]])
        with self.assertRaises(ValueError):
            sce.tool_schema("xml")

    def test_a_schema_is_the_callers_own(self):
        sce.tool_schema("mcp")["inputSchema"]["properties"].clear()
        self.assertTrue(sce.tool_schema("mcp")["inputSchema"]["properties"])


    def test_limits_are_the_callers(self):
        range_of = {"min": 5, "default": 1500, "max": 2000}
        schema = sce.tool_schema("mcp", limits={"timeout_ms": range_of, "max_memory_mb": {"min": 32, "default": 64, "max": 64}})["inputSchema"]
        time = schema["properties"]["timeout_ms"]
        self.assertEqual((5, 2000), (time["minimum"], time["maximum"]))
        self.assertIn("Left out, 1500.", time["description"])
        self.assertNotIn("maximum", sce.tool_schema("mcp")["inputSchema"]["properties"]["timeout_ms"])


class TestCalls(Case):
    def test_a_models_call_runs(self):
        fake, executor = self.start()
        fake.reply(200, {"status": "succeeded", "stdout": "3\n"})
        text = executor.run_tool_call(
            '{"language": "python", "code": "1", "stdin": null, "files": [{"path": "a", "content": "/etc/passwd"}], "timeout_ms": 9}',
            policy="strict", timeout_ms=7,
        )
        self.assertEqual(("succeeded\nstdout:\n3", "succeeded"), (text, text.result["status"]))
        self.assertEqual(
            {"language": "python", "code": "1", "policy": "strict", "files": [{"path": "a", "content": "/etc/passwd"}], "limits": {"timeout_ms": 7}},
            fake.seen[0][2],
        )

    def test_mistakes_of_the_model_are_told_to_it(self):
        _, executor = self.start()
        for name, asked, says in [
            ("no JSON", '{"language": ', "no JSON"),
            ("a list", "[]", "JSON object"),
            ("no code", {"language": "python"}, "code must be given"),
            ("a number for code", {"language": "python", "code": 1}, "code must be given"),
            ("what only the caller may set", {"language": "python", "code": "1", "policy": "relaxed"}, "no argument policy"),
            ("files by path", {"language": "python", "code": "1", "files": ["/etc/passwd"]}, "path and content"),
            ("files as a dict", {"language": "python", "code": "1", "files": {"a": "b"}}, "path and content"),
            ("a file twice", {"language": "python", "code": "1", "files": [{"path": "a", "content": ""}] * 2}, "twice"),
            ("a list for stdin", {"language": "python", "code": "1", "stdin": [1]}, "stdin must be a string"),
        ]:
            with self.subTest(name):
                text = executor.run_tool_call(asked)
                self.assertIn(says, text)
                self.assertIsNone(text.result)

    def test_refusals_of_the_daemon_are_told_and_others_are_raised(self):
        fake, executor = self.start()
        fake.reply(422, {"code": "too_large", "field": "limits.timeout_ms", "detail": "limits.timeout_ms is 60000, the maximum is 30000"})
        self.assertIn("the maximum is 30000", executor.run_tool_call({"language": "python", "code": "1", "timeout_ms": 60000}))
        fake.reply(429, {"code": "busy"})
        with self.assertRaises(sce.Busy):
            executor.run_tool_call({"language": "python", "code": "1"})

    def test_a_model_is_told_what_it_can_change_by_the_names_that_it_knows(self):
        fake, executor = self.start()
        time = {"limit_field": "limits.timeout_ms", "limit": 5, "limit_maximum": 6}
        memory = {"limit_field": "limits.max_memory_mb", "limit": 5, "limit_maximum": 6}
        for name, limit, fixed, want in [
            ("an argument of the tool", time, {}, "Make it do less, or ask for a higher timeout_ms."),
            ("one that is the highest", {**time, "limit_maximum": 5}, {}, "Make it do less; timeout_ms is already the highest allowed."),
            ("one that the caller fixed", time, {"timeout_ms": 5}, "Make it do less."),
            ("none of the tool's", memory, {}, "Make it do less."),
            ("none of the tool's that is the highest", {**memory, "limit_maximum": 5}, {}, "Make it do less."),
            ("none that a request sets", {}, {}, "Make it do less."),
        ]:
            with self.subTest(name):
                fake.reply(200, {"status": "failed", "termination": {"reason": "wall_timeout", "hint": "Make it do less.", **limit}})
                text = executor.run_tool_call({"language": "python", "code": "1"}, **fixed)
                self.assertEqual("failed: wall_timeout\nhint: " + want, text)
        refused = {"code": "too_large", "field": "limits.timeout_ms", "predicate": "is 60000, the maximum is 30000"}
        fake.reply(422, {**refused, "detail": "limits.timeout_ms is 60000, the maximum is 30000"})
        self.assertEqual(
            "The call was refused and nothing ran: timeout_ms is 60000, the maximum is 30000",
            executor.run_tool_call({"language": "python", "code": "1", "timeout_ms": 60000}),
        )
        for end in ("standard allows it", "standard allows it with names that are written out", "own or standard allows it"):
            said = {"line": 1, "column": 8, "message": "no policy known to man allows it; policy " + end}
            fake.reply(200, {"status": "rejected", "termination": {"reason": "policy_violation"}, "violations": [said]})
            self.assertEqual(
                "rejected: policy_violation\nline 1, column 8: no policy known to man allows it",
                executor.run_tool_call({"language": "python", "code": "1"}),
            )

    def test_texts(self):
        rows = [
            ("nothing printed", {"status": "succeeded"}, "succeeded\n(it printed nothing)"),
            (
                "a failure",
                {"status": "failed", "stderr": "ZeroDivisionError\n", "termination": {"reason": "exception", "hint": "Mend it."}},
                "failed: exception\nhint: Mend it.\nstderr:\nZeroDivisionError",
            ),
            (
                "a refusal",
                {
                    "status": "rejected",
                    "termination": {"reason": "policy_violation"},
                    "violations": [{"line": 1, "column": 8, "message": "module os is blocked"}],
                },
                "rejected: policy_violation\nline 1, column 8: module os is blocked",
            ),
            (
                "files",
                {"status": "succeeded", "files": [{"path": "a.png", "size": 3}], "files_skipped": [{"path": "b", "reason": "a link"}]},
                "succeeded\nfile: a.png (3 bytes)\nfile not brought back: b: a link",
            ),
        ]
        fake, executor = self.start()
        for name, result, want in rows:
            with self.subTest(name):
                fake.reply(200, result)
                self.assertEqual(want, executor.run_tool_call(json.dumps({"language": "python", "code": "1"})))

    def test_long_output_is_cut(self):
        fake, executor = self.start()
        fake.reply(200, {"status": "failed", "stdout": "a" * 50000 + "end", "stderr": "b" * 50000, "termination": {"reason": "exception"}})
        text = executor.run_tool_call({"language": "python", "code": "1"}, max_chars=1000)
        self.assertLess(len(text), 1200)
        self.assertIn("end\n", text)


class TestCallsAsync(BothCase, TestCalls):
    pass


if __name__ == "__main__":
    unittest.main()
