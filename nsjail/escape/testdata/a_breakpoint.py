# technique: the debugger of breakpoint obeys a file that the program writes
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import xml.etree.ElementTree as tree

def trick():
    space = {}
    node = tree.Element("a")
    node.text = "!space['found'] = open\ncontinue\n"
    tree.ElementTree(node).write(".pdbrc", method="text")
    breakpoint()
    return space["found"]

read_host(trick)
