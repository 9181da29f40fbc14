# technique: read what names the host: machine id, boot id, resolver, fstab
# family: C1
# severity: L
# layers: policy, mount_namespace, landlock
names = ["/etc/machine-id", "/proc/sys/kernel/random/boot_id", "/etc/resolv.conf", "/etc/fstab", "/etc/hosts", "/etc/os-release", "/proc/cmdline"]
for name in names:
    try:
        text = open(name).read()
    except OSError:
        continue
    won("%s has %d characters" % (name, len(text)))
    break
else:
    held("none of %d files is there" % len(names))
