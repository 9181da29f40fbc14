# technique: run a module by its name
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import runpy
    return runpy.run_module("shu" + "til")["os"]

start_process(trick)
