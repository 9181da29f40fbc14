# technique: import the program's own module to read its table
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import __main__
    return open_of(vars(__main__)["__built" + "ins__"])

read_host(trick)
