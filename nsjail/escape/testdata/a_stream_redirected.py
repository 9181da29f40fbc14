# technique: a redirection keeps standard output, and beneath it is the class of raw files
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import contextlib
    redirect = contextlib.redirect_stdout(None)
    redirect.__enter__()
    found = redirect._old_targets[0].buffer
    redirect.__exit__(None, None, None)
    kind = type(found.raw if hasattr(found, "raw") else found)
    if kind.__name__ == "FileIO":
        reached("the class of raw files")
    return kind

read_host(trick)
