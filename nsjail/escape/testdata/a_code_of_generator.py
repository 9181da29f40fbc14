# technique: the class of functions by type, and code by a generator
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    def numbers():
        yield found
    code = numbers().gi_code.replace(co_names=("open",))
    return next(type(trick)(code, {})())

read_host(trick)
