# technique: the generator behind a context manager shows its frame
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import contextlib

    @contextlib.contextmanager
    def manager():
        yield 1
    return manager().gen.gi_frame.f_builtins["open"]

read_host(trick)
