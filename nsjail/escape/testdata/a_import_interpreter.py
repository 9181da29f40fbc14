# technique: an interpreter in the interpreter
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import code
    space = {}
    code.InteractiveInterpreter(space).runsource("import os as found")
    return space["found"]

start_process(trick)
