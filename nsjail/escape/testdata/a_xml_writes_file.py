# technique: an allowed library writes a file of the host
# family: A
# severity: H
# layers: mount_namespace, landlock
import xml.etree.ElementTree as tree

node = tree.Element("a")
node.text = "changed"
try:
    tree.ElementTree(node).write("@WRITABLE@", method="text")
    won("wrote to a file of the host")
except OSError as e:
    held(errno_name(e))
