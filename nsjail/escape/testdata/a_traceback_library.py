# technique: the traceback of a library's error holds the library's frame
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import json

def trick():
    try:
        json.loads("{")
    except ValueError as e:
        trace = e.__traceback__
        while trace.tb_next:
            trace = trace.tb_next
        return trace.tb_frame.f_globals["__builtins__"]["open"]

read_host(trick)
