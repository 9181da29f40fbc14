# technique: code objects made from bytes
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import marshal
    import types
    code = marshal.loads(marshal.dumps((lambda: unknown).__code__.replace(co_names=("open",))))
    return types.FunctionType(code, {})()

read_host(trick)
