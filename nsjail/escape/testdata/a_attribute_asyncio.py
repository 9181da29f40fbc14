# technique: subprocess through a submodule of a package of the standard level
# family: A
# severity: H
# layers: policy, seccomp
import asyncio

start_process(lambda: asyncio.base_events.subprocess.os)
