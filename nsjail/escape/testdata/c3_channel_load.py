# technique: see other runs by the load and memory of the host
# family: C3
# severity: L
# layers: no_proc
import os

found = []
for name in ["/proc/loadavg", "/proc/meminfo", "/proc/stat", "/proc/interrupts", "/proc/schedstat", "/proc/locks"]:
    try:
        open(name).read()
        found.append(name)
    except OSError:
        pass
if found:
    won(found)
else:
    held("no /proc")
