# technique: the function beneath import statements, taken from the table of builtins
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    table = globals()["__built" + "ins__"]
    table = table if isinstance(table, dict) else vars(table)
    return table["__imp" + "ort__"]("o" + "s")

start_process(trick)
