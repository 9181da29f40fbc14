# technique: the function behind a library's cache
# family: A
# severity: H
# layers: policy, seccomp
import urllib.parse

start_process(lambda: urllib.parse.urlsplit.__wrapped__.__globals__["sys"].modules["posix"])
