# technique: the class of raw files through an allowed module's module io
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import xml.etree.ElementTree as tree

read_host(lambda: tree.io.FileIO)
