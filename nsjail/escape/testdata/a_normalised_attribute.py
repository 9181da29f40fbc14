# technique: an attribute in letters that the parser normalises
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
read_host(lambda: print.__ｓｅｌｆ__.open)
