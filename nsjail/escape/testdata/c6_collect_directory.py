# technique: a link to a directory of the host, which a collector walks
# family: C6
# severity: C
# layers: policy, mount_namespace, collector
# collect: yes
import os

os.makedirs("out/of")
os.symlink("@DIR@", "out/of/results")
held("left a link for the collector")
