# technique: the table of loaded modules through sys
# family: A
# severity: H
# layers: policy, seccomp
import datetime

start_process(lambda: datetime.sys.modules["posix"])
