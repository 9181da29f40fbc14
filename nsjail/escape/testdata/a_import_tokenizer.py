# technique: a tokenizer opens source files
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    import tokenize
    return tokenize.open

read_host(trick)
