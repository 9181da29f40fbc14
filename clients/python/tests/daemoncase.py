"""What the tests against a real daemon share."""

import os
import unittest

from safe_code_executor import SafeCodeExecutor


class DaemonCase(unittest.TestCase):
    """Needs the daemon that SAFE_EXEC_SOCKET names. Without it the tests fail,
    since a test that silently does not run protects nobody;
    SAFE_EXEC_NO_DAEMON=1 says that they are not wanted."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if os.environ.get("SAFE_EXEC_SOCKET"):
            cls.executor = SafeCodeExecutor()
        elif os.environ.get("SAFE_EXEC_NO_DAEMON") == "1":
            raise unittest.SkipTest("SAFE_EXEC_NO_DAEMON=1: the tests against a daemon are not wanted")
        else:
            raise AssertionError(
                "these tests need a daemon: set SAFE_EXEC_SOCKET to its socket (make test does), or SAFE_EXEC_NO_DAEMON=1 to do without"
            )

    def run_python(self, code, policy="relaxed", **arguments):
        """Run Python with the import policy out of the way: what then still
        holds is the kernel's doing."""
        return self.executor.execute(language="python", code=code, policy=policy, **arguments)

    def answer(self, code, **arguments):
        """Run Python that must succeed, and give what it printed as JSON."""
        result = self.run_python(code, **arguments)
        self.assertEqual("succeeded", result["status"], result)
        return result["result_json"]

    def denied(self, result):
        return {d["syscall"] for d in result["denials"]}
