# technique: a link to the environment of whoever opens it
# family: C6
# severity: C
# layers: policy, mount_namespace, collector
# collect: yes
# @ENVIRON_NAME@ is in the environment of a careless supervisor.
import os

os.symlink("/proc/self/environ", "result.txt")
held("left a link for the collector")
