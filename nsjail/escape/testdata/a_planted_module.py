# technique: a module planted where a library imports from
# family: A
# severity: H
# layers: start_isolated, mount_namespace, landlock
import time
import xml.etree.ElementTree as tree

node = tree.Element("a")
node.text = "raise RuntimeError(open('@READABLE@').read())"
tree.ElementTree(node).write("_strptime.py", method="text")
try:
    time.strptime("2024", "%Y")
    held("the library's own module was loaded")
except RuntimeError as e:
    won("planted code read %s" % e)
except Exception as e:
    held(errno_name(e))
