# technique: a pattern's attribute in letters that the parser normalises
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    match print:
        case object(__𝓼𝓮𝓵𝓯__=found):
            return found.open

read_host(trick)
