"""Runs one module of CPython's own tests and prints a line for each test.

The same text runs bare and in a jail. A line is a mark, the test's name, the
outcome, and for a test that did not pass the last line of its complaint.
"""
import importlib
import io
import signal
import sys
import unittest

from test import support

MARK, MODULE = "\x01", "@MODULE@"


def first_line(text):
    return next((line for line in text.strip().splitlines() if line), "")


def last_line(text):
    return next((line for line in reversed(text.strip().splitlines()) if line), "")


class Recorder(unittest.TestResult):
    """Keeps the worst outcome of each test: a subtest counts for its test."""

    WORST = ("ok", "skipped", "expected failure", "unexpected success", "FAIL", "ERROR")

    def __init__(self):
        super().__init__()
        self.outcomes = {}
        self.runs = {}

    def startTest(self, test):
        super().startTest(test)
        self.runs[test.id()] = self.runs.get(test.id(), 0) + 1

    def note(self, test, outcome, detail=""):
        name = getattr(test, "test_case", test).id()
        if self.runs.get(name, 0) > 1:  # two tests may have one name
            name += f"#{self.runs[name]}"
        old = self.outcomes.get(name)
        if old is None or self.WORST.index(outcome) > self.WORST.index(old[0]):
            self.outcomes[name] = outcome, detail

    def addSuccess(self, test):
        self.note(test, "ok")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skipped", first_line(reason))

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.note(test, "expected failure")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note(test, "unexpected success")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note(test, "FAIL", last_line(self.failures[-1][1]))

    def addError(self, test, err):
        super().addError(test, err)
        self.note(test, "ERROR", last_line(self.errors[-1][1]))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            failed = issubclass(err[0], test.failureException)
            kept = self.failures if failed else self.errors
            self.note(test, "FAIL" if failed else "ERROR", last_line(kept[-1][1]))


def main():
    # Some tests interrupt themselves; what started us may ignore that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # What the tests print is no outcome.
    out, sys.stdout, sys.stderr = sys.stdout, io.StringIO(), io.StringIO()
    try:
        module = importlib.import_module("test." + MODULE)
        recorder = Recorder()
        if hasattr(module, "test_main"):  # it prepares what the tests use
            support._run_suite = lambda suite: suite.run(recorder)
            module.test_main()
        else:
            unittest.TestLoader().loadTestsFromModule(module).run(recorder)
    finally:
        sys.stdout, sys.stderr = out, sys.__stderr__
    for name, (outcome, detail) in sorted(recorder.outcomes.items()):
        text = "\t".join((name, outcome, detail.replace("\t", " ")[:200]))
        print(MARK + text.encode("ascii", "backslashreplace").decode())
    print(MARK + "end")


if __name__ == "__main__":
    main()
