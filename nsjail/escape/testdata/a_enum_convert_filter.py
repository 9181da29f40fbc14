# technique: an enumeration made of a module's names, with a filter out of that module
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import enum
    import json

    class Own(enum.Enum):
        pass
    return Own._convert_("Found", "json", json.dumps)["codecs"].value.open

read_host(trick)
