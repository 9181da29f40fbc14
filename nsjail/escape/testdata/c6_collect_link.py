# technique: a link to a file of the host, which a collector opens
# family: C6
# severity: C
# layers: policy, mount_namespace, collector
# collect: yes
import os

os.symlink("@READABLE@", "result.txt")
held("left a link for the collector")
