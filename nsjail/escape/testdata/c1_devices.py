# technique: open a device beyond null, zero and random
# family: C1
# severity: C
# layers: policy, mount_namespace, landlock
import os

names = ["full", "tty", "mem", "kmsg", "port", "fuse", "kvm", "net/tun", "loop-control", "userfaultfd", "vda", "sda", "mapper/control"]
errors = set()
for name in names:
    try:
        os.close(os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))
        won("/dev/%s opens" % name)
        break
    except OSError as e:
        errors.add(e.strerror)
else:
    held("%d names: %s" % (len(names), ", ".join(sorted(errors))))
