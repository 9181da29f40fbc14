# technique: a directory with files that has become a link since
# family: C6
# severity: C
# layers: policy, mount_namespace, collector
# collect: yes
import os

os.mkdir("results")
with open("results/readable", "w") as f:
    f.write("harmless")
os.rename("results", "before")
os.symlink("@DIR@", "results")
held("left a link for the collector")
