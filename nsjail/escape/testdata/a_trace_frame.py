# technique: a trace function is handed frames
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import threading
    found = []

    def watch(frame, event, argument):
        found.append(frame)
    threading.settrace(watch)
    thread = threading.Thread(target=len, args=("x",))
    thread.start()
    thread.join()
    threading.settrace(None)
    return found[0].f_builtins["open"]

read_host(trick)
