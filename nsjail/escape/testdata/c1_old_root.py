# technique: reach the old root by the usual places of a careless pivot
# family: C1
# severity: C
# layers: mount_namespace, landlock
# profile: python-full
import os

seen = ["/proc/self/root", "/proc/self/cwd/../../..", "/proc/1/root", "/proc/self/task/%d/root" % os.getpid(), "/old", "/.old",
        "/oldroot", "/old_root", "/.oldroot", "/.pivot_root", "/put_old", "/mnt", "/host", "/rootfs", "/newroot", "/dev/fd/3", "/run"]
try:
    seen += ["/" + name for name in os.listdir("/")]
except OSError as e:
    pass  # the root cannot be listed
for place in seen:
    try:
        text = open(place + "@READABLE@").read()
    except OSError:
        continue
    won("read %s through %s" % (text, place))
    break
else:
    held("none of %d places leads out" % len(seen))
