# technique: bind a directory elsewhere
# family: C1
# severity: C
# layers: seccomp, capabilities, mount_namespace
# profile: python-full
import os

os.mkdir("m")
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
errors = []
for source in [b"@DIR@", b"/", b"/usr", b"/tmp"]:
    r, e = call("mount", source, b"m", 0, 0x1000 | 0x4000, 0)  # MS_BIND, MS_REC
    if not e:
        won("%s is mounted again: %s" % (source.decode(), os.listdir("m")))
        break
    errors.append(e)
else:
    held("mount: " + " ".join(errors))
