# technique: import the machinery of imports, and load by it
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import importlib
    return importlib.import_module("o" + "s")

start_process(trick)
