# technique: an enumeration made of a module's names
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import enum

    class Own(enum.Enum):
        pass
    return Own._convert_("Found", "builtins", lambda name: name == "open")["open"].value

read_host(trick)
