"""Attacks through the front door, against a real daemon. They run with
policy="relaxed", which allows every import: what stops them is the jail."""

import json
import os
import unittest

from daemoncase import DaemonCase

# Runs one attack and prints the errno's name, or what it got.
ATTEMPT = """
import errno, json
def attempt(f):
    try:
        return ["got", repr(f())[:200]]
    except OSError as e:
        return ["errno", errno.errorcode.get(e.errno, str(e.errno))]
    except ImportError as e:
        return ["no module", e.name]
"""


class TestTheHostIsNotVisible(DaemonCase):
    def test_the_environment_does_not_leak(self):
        inside = self.answer("import os, json; print(json.dumps(dict(os.environ)))")
        self.assertIn("SAFE_EXEC_SOCKET", os.environ, "the control: this process has what must not be seen")
        harmless = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "PATH")
        leaked = [n for n, value in os.environ.items() if n not in harmless and inside.get(n) == value]
        self.assertEqual([], leaked)
        self.assertFalse([n for n in inside if "SAFE" in n or "NOTIFY" in n or "SOCKET" in n], inside)

    def test_no_file_of_the_host_opens(self):
        paths = ["/etc/shadow", "/etc/hostname", "/proc/1/environ", "/proc/self/environ", "/proc/version",
                 "/sys/kernel", "/dev/sda", "/dev/kmsg", "/home", "/var/log", "/run", os.environ["SAFE_EXEC_SOCKET"], os.path.abspath(__file__),
                 "/../etc/shadow", os.path.join("/proc/1", "root", "etc/passwd"), "/bin/sh", "/usr/bin/env"]
        self.assertTrue(os.path.exists("/etc/shadow") and os.path.exists("/bin/sh"), "the control: they are there outside")
        code = ATTEMPT + "import os\nprint(json.dumps({p: attempt(lambda: os.open(p, os.O_RDONLY)) for p in %r}))" % paths
        for path, (kind, detail) in self.answer(code).items():
            with self.subTest(path):
                self.assertEqual("errno", kind, detail)
                self.assertIn(detail, ("ENOENT", "EACCES", "EPERM"))

    def test_the_password_file_is_not_the_hosts(self):
        # The image may have one of its own, so that looking up a user works.
        for path in ("/etc/passwd", "/etc/group", "/../etc/passwd"):
            with self.subTest(path), open(path) as f:
                outside = f.read().splitlines()
                self.assertTrue(outside, "the control: the host has one")
                kind, inside = self.answer(ATTEMPT + "print(json.dumps(attempt(lambda: open(%r).read(150))))" % path)
                for line in outside:
                    self.assertNotIn(line, inside)
                self.assertNotIn("root", inside, kind)

    def test_no_directory_shows_the_host(self):
        # Refused or shown, but then with nothing that only a host has.
        code = ATTEMPT + "import os\nprint(json.dumps([attempt(lambda: os.listdir(d)) for d in ('/', '/..', '/etc', '/proc', '/dev')]))"
        for kind, detail in self.answer(code):
            for name in ("home", "root", "var", "boot", "srv", "opt", "mnt", "run", "sys", "shadow", "hostname", "1", "sda", "kmsg"):
                self.assertNotIn("'%s'" % name, detail, kind)

    def test_the_root_is_read_only(self):
        code = ATTEMPT + "import os\nprint(json.dumps([attempt(lambda: os.open(d + '/x', os.O_CREAT | os.O_WRONLY)) for d in ('', '/usr', '/dev')]))"
        for kind, detail in self.answer(code):
            self.assertEqual("errno", kind)
            self.assertIn(detail, ("EROFS", "EACCES", "EPERM", "ENOENT"))

    def test_only_the_working_directory_is_writable(self):
        self.assertEqual("kept", self.answer("import json; open('f', 'w').write('\"kept\"'); print(open('/tmp/f').read())"))

    def test_the_user_is_not_root(self):
        ids = self.answer("import os, json; print(json.dumps([os.getuid(), os.geteuid(), os.getgid(), os.getegid()]))")
        self.assertNotIn(0, ids)

    def test_javascript_sees_no_host_either(self):
        code = """
        const fs = require('fs'); const out = {};
        for (const p of ['/etc/shadow', '/proc/1/environ', '/var/log']) {
          try { fs.readFileSync(p); out[p] = 'got'; } catch (e) { out[p] = e.code; }
        }
        console.log(JSON.stringify(out));
        """
        result = self.executor.execute("javascript", code, policy="relaxed")
        self.assertEqual("succeeded", result["status"], result)
        for path, got in result["result_json"].items():
            self.assertIn(got, ("ENOENT", "EACCES", "EPERM"), path)


class TestSystemCallsAreRefused(DaemonCase):
    def refused(self, code, *syscalls):
        result = self.run_python(ATTEMPT + code)
        self.assertEqual("succeeded", result["status"], result)
        kind, detail = result["result_json"]
        self.assertEqual(("errno", "EPERM"), (kind, detail), result)
        self.assertTrue(self.denied(result) & set(syscalls), "none of %s is in %s" % (syscalls, result["denials"]))

    def test_sockets(self):
        for family in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG"):
            with self.subTest(family):
                self.refused("import socket\nprint(json.dumps(attempt(lambda: socket.socket(socket.%s, socket.SOCK_DGRAM))))" % family, "socket")

    def test_fork(self):
        self.refused("import os\nprint(json.dumps(attempt(os.fork)))", "fork", "vfork", "clone")

    def test_exec(self):
        self.refused("import os, sys\nprint(json.dumps(attempt(lambda: os.execv(sys.executable or '/usr/bin/python3', ['x']))))", "execve")

    def test_kill_of_the_init(self):
        result = self.run_python(ATTEMPT + "import os\nprint(json.dumps(attempt(lambda: os.kill(1, 9))))")
        self.assertEqual("succeeded", result["status"], result)
        self.assertEqual("errno", result["result_json"][0], result)
        self.assertIn(result["result_json"][1], ("EPERM", "ESRCH"))

    def test_subprocess(self):
        result = self.run_python("import subprocess; subprocess.run(['/bin/sh', '-c', 'echo out'])")
        self.assertEqual("failed", result["status"], result)
        self.assertNotIn("out", result["stdout"])

    def test_javascript_starts_no_process(self):
        code = "const r = require('child_process').spawnSync(process.execPath, ['-e', '1']); console.log(JSON.stringify(r.error ? r.error.code : 'ran'));"
        result = self.executor.execute("javascript", code, policy="relaxed")
        self.assertNotEqual("ran", result["result_json"], result)


class TestForgery(DaemonCase):
    def test_a_forged_result_is_only_output(self):
        forged = {"status": "failed", "exit_code": 99, "execution_id": "mine", "termination": {"reason": "memory_limit"}, "denials": [{"syscall": "x", "count": 1}]}
        result = self.run_python("print(%r)" % json.dumps(forged))
        self.assertEqual(forged, result["result_json"])
        self.assertEqual(("succeeded", 0, "completed", []), (result["status"], result["exit_code"], result["termination"]["reason"], result["denials"]))
        self.assertNotEqual("mine", result["execution_id"])

    def test_frames_on_every_descriptor_change_nothing(self):
        frame = b"A\\0\\0\\0\\0F\\4\\0\\0\\0fake" + json.dumps({"status": "rejected"}).encode()
        code = "import os\nfor fd in range(3, 256):\n  try: os.write(fd, b'%s')\n  except OSError: pass\nprint(7)" % frame.decode()
        result = self.run_python(code)
        self.assertEqual(("succeeded", 7), (result["status"], result["result_json"]), result)

    def test_a_program_cannot_claim_success_after_a_limit(self):
        result = self.run_python("import json\njson.dumps = lambda *a: 'x'\nprint('{\"status\": \"succeeded\"}', flush=True)\nwhile True: pass", timeout_ms=500)
        self.assertEqual("timed_out", result["status"], result)

    def test_one_run_leaves_nothing_for_the_next(self):
        self.run_python("open('/tmp/left', 'w').write('x')")
        self.assertEqual([], self.answer("import os, json; print(json.dumps(os.listdir('/tmp')))"))


if __name__ == "__main__":
    unittest.main()
