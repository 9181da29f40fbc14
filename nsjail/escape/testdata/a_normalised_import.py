# technique: an import in letters that the parser normalises
# family: A
# severity: H
# layers: policy, seccomp
def trick():
    import ｏｓ
    return ｏｓ

start_process(trick)
