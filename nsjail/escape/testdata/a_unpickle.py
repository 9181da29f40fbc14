# technique: unpickling calls what the bytes name
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import pickle
    return lambda path: pickle.loads(b"cbuiltins\nopen\n(V" + path.encode() + b"\ntR.")

read_host(trick)
