# technique: reach the cgroup file system or learn the path in it
# family: C1
# severity: H
# layers: policy, no_proc, mount_namespace, cgroup_namespace
import os

errors = []
for look in [lambda: os.listdir("/sys/fs/cgroup"), lambda: open("/proc/self/cgroup").read().split()[:3]]:
    try:
        won(look())
        break
    except OSError as e:
        errors.append(errno_name(e))
else:
    held("; ".join(errors))
