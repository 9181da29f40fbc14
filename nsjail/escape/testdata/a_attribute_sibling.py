# technique: a module beside the allowed one, through their common package
# family: A
# severity: H
# layers: policy, mount_namespace, landlock
import xml.etree.ElementTree

read_host(lambda: xml.etree.ElementPath.re.enum.bltns.open)
