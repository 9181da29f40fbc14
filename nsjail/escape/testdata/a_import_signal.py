# technique: a signal handler is given the interrupted frame
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import signal
    found = []
    signal.signal(signal.SIGUSR1, lambda number, frame: found.append(frame))
    signal.raise_signal(signal.SIGUSR1)
    return found[0].f_builtins["open"]

read_host(trick)
