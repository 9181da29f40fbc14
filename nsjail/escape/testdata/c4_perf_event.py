# technique: the performance counters
# family: C4
# severity: C
# layers: seccomp
# profile: python-full
# Without an address the call's own code answers, whoever may open a counter.
reaches("perf_event_open", "EFAULT", 0, 0, -1, -1, 0)
