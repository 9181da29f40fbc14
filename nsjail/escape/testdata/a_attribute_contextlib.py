# technique: the module os two attributes away, without an underscore
# family: A
# severity: H
# layers: policy, seccomp
import xml.etree.ElementTree as tree

start_process(lambda: tree.contextlib.os)
