"""The Python harness: our code in the payload's process, ahead of the program.

It loads the steady seccomp filter, takes the job from the daemon, parses and
checks the program, answers, gives up the job socket, and runs the program as
__main__. It protects nobody by itself: the kernel layers are the boundary, and
what happens here after the answer is believed by no one. The import policy is a
courtesy that says no early and says why.

Start-up time is the product, so nothing is imported that a bare interpreter
has not loaded already. Runs on CPython 3.11 and later.

The files beside this one are its parts. They are joined in two when an image is
made: this one, with which the interpreter starts, and program.py, which is made
ready while the daemon looks at the jail.
"""

import builtins
import gc
import marshal
import posix
import sys

__name__ = "safe_exec"  # of our classes too: those of __main__ are the program's, and it may list them

EXCEPTION, IMPORT_DENIED, POLICY_VIOLATION = 90, 91, 92  # exit statuses

FILENAME = "<program>"
PATH = "/tmp/program.py"
HERE = sys.argv[0].rpartition("/")[0]
ModuleType = type(sys)
SimpleNamespace = type(sys.implementation)
MappingProxyType = type(type.__dict__)
