# technique: the outermost frame of a traceback
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    try:
        1 / 0
    except ZeroDivisionError as e:
        frame = e.__traceback__.tb_frame
        while frame.f_back:
            frame = frame.f_back
        return frame.f_builtins["open"]

read_host(trick)
