# technique: a statement over joined lines
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    from \
        os \
            import \
                path as found
    return found.os

start_process(trick)
