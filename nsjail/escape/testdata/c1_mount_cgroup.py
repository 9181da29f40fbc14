# technique: mount a cgroup hierarchy (the release agent's first step)
# family: C1
# severity: C
# layers: seccomp, capabilities, no_cgroupfs
# profile: python-full
import os

os.mkdir("m")
call("unshare", 0x10000000 | 0x00020000 | 0x02000000)  # what lets a control mount
errors = []
for kind, data in [(b"cgroup2", 0), (b"cgroup", b"memory"), (b"cgroup", b"pids"), (b"cgroup", b"rdma")]:
    r, e = call("mount", b"none", b"m", kind, 0, data)
    if not e:
        won("%s is mounted: %s" % (kind.decode(), sorted(os.listdir("m"))[:3]))
        break
    errors.append(e)
else:
    held("mount: " + " ".join(errors))
