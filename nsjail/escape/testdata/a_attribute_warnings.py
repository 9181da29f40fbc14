# technique: sys through the module warnings of an allowed module
# family: A
# severity: H
# layers: policy, seccomp
import urllib.parse

start_process(lambda: urllib.parse.warnings.sys.modules["posix"])
