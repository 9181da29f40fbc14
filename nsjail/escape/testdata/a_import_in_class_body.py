# technique: an import that binds an attribute of a class
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    class Holder:
        import os as found
    return Holder.found

start_process(trick)
