# technique: a context manager is handed the traceback
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
found = []

class Manager:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        found.append(trace)
        return True

def trick():
    with Manager():
        1 / 0
    return found[0].tb_frame.f_builtins["open"]

read_host(trick)
