"""What the documents show runs as it stands there, against a real daemon."""

import ast
import contextlib
import io
import os
import pathlib
import re
import subprocess
import tempfile
import types
import unittest

from daemoncase import DaemonCase

TOP = pathlib.Path(__file__).resolve().parents[3]
SOCKET = "/run/safe-exec/safe-exec.sock"  # what the documents say

DOCUMENTS = sorted(str(path.relative_to(TOP)) for pattern in ("*.md", "docs/*.md") for path in TOP.glob(pattern))

# What an example is written in, and what shows data alone.
SHELL = ("", "sh")
RUN = (*SHELL, "python", "js", "go", "yaml")
SHOWN = ("json", "text", "http", "sql")

# The example of bearer tokens, in docs/operations.md.
TOKENS = "safe-exec token new"

# The line above an example that no test runs.
MARK = re.compile(r"^<!-- not run: \S.* -->$")


def examples(document):
    """The fenced blocks, as triples: the line above, the language, the text."""
    found, above, block = [], "", None
    for line in (TOP / document).read_text().splitlines(keepends=True):
        if not line.startswith("```"):
            if block is not None:
                block.append(line)
        elif block is None:
            kind, block, start = line[3:].strip(), [], above
        else:
            found.append((start.rstrip("\n"), kind, "".join(block)))
            block = None
        above = line
    return found


def blocks(document):
    """The fenced blocks that are run, as pairs of language and text."""
    return [(kind, text) for above, kind, text in examples(document) if not MARK.match(above)]


def shown(line):
    """The value that a comment behind an expression says it has: a pair of whether and what."""
    comment = line.strip()
    try:
        return comment.startswith("#"), ast.literal_eval(comment[1:].strip())
    except (SyntaxError, ValueError):
        return False, None


class TestExamples(unittest.TestCase):
    def test_each_is_run_or_marked(self):
        """An example that no test runs has a mark above it with the reason."""
        run = {
            *((document, kind) for document in ("README.md", "docs/api.md") for kind in (*SHELL, "python")),
            ("docs/api.md", "js"),
            ("docs/api.md", "go"),
            *((document, "yaml") for document in DOCUMENTS),
        }
        seen = 0
        for document in DOCUMENTS:
            for above, kind, text in examples(document):
                self.assertIn(kind, RUN + SHOWN, f"{document}: a test must know the language of each example")
                if kind in RUN and not MARK.match(above):
                    seen += 1
                    self.assertTrue(
                        (document, kind) in run or TOKENS in text,
                        f"{document}: no test runs this example, and no line `<!-- not run: REASON -->` is above it:\n{text}",
                    )
        self.assertGreater(seen, 20)


class TestURLs(unittest.TestCase):
    def test_a_query_is_quoted(self):
        """A question mark is the shell's, and some shells refuse a word with one that matches no file."""
        seen = 0
        for document in DOCUMENTS:
            for _, kind, text in examples(document):
                if kind in SHELL:
                    seen += text.count("?")
                    self.assertNotRegex(text, r"""(?m)(?<!['"])\bhttp://[^\s'"]*\?""", document)
        self.assertGreater(seen, 2)


class TestDocuments(DaemonCase):
    def setUp(self):
        before = self.unsuccessful()
        self.addCleanup(lambda: self.assertEqual(before, self.unsuccessful(), "a program that is shown did not succeed"))

    def unsuccessful(self):
        """The daemon's counts of runs that did not succeed."""
        text = self.command("curl", "-fsS", "--unix-socket", os.environ["SAFE_EXEC_SOCKET"], "http://x/metrics")
        return [line for line in text.splitlines() if line.startswith("safe_exec_runs_total") and 'status="succeeded"' not in line]

    def fresh(self):
        """A working directory with the files that the examples take for granted."""
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)
        (self.place / "data").mkdir()
        (self.place / "bin").symlink_to(TOP / "bin")
        for name, text in [("program.py", "print(1)"), ("input.txt", "x\n"), ("in.csv", "a,1\nb,2\n"), ("data/in.csv", "a,1\nb,2\n")]:
            (self.place / name).write_text(text)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.place)

    def take(self, document, language):
        languages = SHELL if language in SHELL else (language,)
        found = [text for kind, text in blocks(document) if kind in languages]
        self.assertTrue(found, f"{document} shows nothing in {language or 'the shell'}")
        return found

    def command(self, *line, **more):
        done = subprocess.run(
            line, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
            env={**os.environ, "PATH": f"{TOP / 'bin'}:{os.environ['PATH']}", **more},
        )
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def shell(self, text):
        (self.place / "script").write_text("shopt -s expand_aliases\nset -eux -o pipefail\n" + text)
        return self.command("bash", "script")

    def test_python(self):
        for document in "README.md", "docs/api.md":
            self.fresh()
            call = types.SimpleNamespace(function=types.SimpleNamespace(arguments='{"language":"python","code":"print(1)"}'))
            names, seen = {"call": call}, 0
            for code in self.take(document, "python"):
                for node in ast.parse(code).body:
                    if not isinstance(node, ast.Expr):
                        with contextlib.redirect_stdout(io.StringIO()):
                            exec(compile(ast.Module([node], []), document, "exec"), names)
                        continue
                    value = eval(compile(ast.Expression(node.value), document, "eval"), names)
                    known, want = shown(code.splitlines()[node.end_lineno - 1].encode()[node.end_col_offset :].decode())
                    if known:
                        seen += 1
                        self.assertEqual(want, value, f"{document}: {ast.unparse(node)}")
            self.assertGreaterEqual(seen, 3, f"{document} says of too little what it gives")

    def test_shell(self):
        for document in "README.md", "docs/api.md":
            self.fresh()
            job = self.executor.submit("python", "print(1)")
            job.wait(timeout=60)
            text = "".join(one for one in self.take(document, "") if not one.startswith("go mod"))
            text = text.replace(SOCKET, os.environ["SAFE_EXEC_SOCKET"]).replace("job_...", job.id).replace("curl -", "curl -f -")
            self.assertIn("succeeded", self.shell(text))

    def test_javascript(self):
        for code in self.take("docs/api.md", "js"):
            want = code.rstrip().rpartition("// ")[2]
            self.assertEqual(want + "\n", self.command("node", "-e", code.replace(SOCKET, os.environ["SAFE_EXEC_SOCKET"])))

    def test_go(self):
        self.fresh()
        (code,) = self.take("docs/api.md", "go")
        (setup,) = [text for text in self.take("docs/api.md", "") if text.startswith("go mod")]
        (self.place / "main.go").write_text(code.replace(SOCKET, os.environ["SAFE_EXEC_SOCKET"]))
        (self.place / "go.mod").write_text("module example\n")
        self.shell(setup.replace("/path/to/safe-exec", str(TOP)))
        self.assertEqual("42\n", self.command("go", "run", "."))

    def test_yaml(self):
        """Each example of a configuration is one that the daemon takes."""
        seen = 0
        for document in DOCUMENTS:
            for kind, text in blocks(document):
                if kind == "yaml":
                    seen += 1
                    self.fresh()
                    (self.place / "config.yaml").write_text(text)
                    self.command("safe-exec", "policy", "--socket", "/nonexistent", "--config", "config.yaml")
        self.assertGreater(seen, 2)

    def test_tokens(self):
        self.fresh()
        (text,) = [one for kind, one in blocks("docs/operations.md") if TOKENS in one]
        text = text.replace("/etc/safe-exec", str(self.place / "etc")).replace("systemctl ", ": ")
        self.shell(text + text.replace("new ci", "new second"))
        file = self.place / "etc/tokens"
        self.assertRegex(file.read_text(), r"\Aci sha256:[0-9a-f]{64}\nsecond sha256:[0-9a-f]{64}\n\Z")
        self.assertEqual(0o600, file.stat().st_mode & 0o7777)


if __name__ == "__main__":
    unittest.main()
