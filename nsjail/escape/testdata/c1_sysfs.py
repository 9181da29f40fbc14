# technique: look into sysfs
# family: C1
# severity: M
# layers: policy, mount_namespace, landlock
import os

try:
    won("/sys/kernel holds %s" % sorted(os.listdir("/sys/kernel"))[:5])
except OSError as e:
    held(errno_name(e))
