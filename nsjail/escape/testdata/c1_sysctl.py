# technique: open a kernel setting for writing
# family: C1
# severity: C
# layers: no_proc, ids, landlock
# profile: python-full
import os

call("unshare", 0x10000000 | 0x40000000)  # so that a control owns some; nothing is written
names = ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper",
         "/proc/sys/fs/binfmt_misc/register", "/proc/sys/kernel/ns_last_pid", "/proc/sys/user/max_user_namespaces",
         "/proc/sys/net/ipv4/ip_forward"]
errors = set()
for name in names:
    try:
        os.close(os.open(name, os.O_WRONLY))
        won("%s is open for writing" % name)
        break
    except OSError as e:
        errors.add(e.strerror)
else:
    held("%d settings: %s" % (len(names), ", ".join(sorted(errors))))
