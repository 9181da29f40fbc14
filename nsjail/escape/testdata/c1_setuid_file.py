# technique: find a set-uid program to start
# family: C1
# severity: H
# layers: policy, read_only_root, nosuid
import os
import stat

looked, found = 0, []
for top in ["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/local/bin", "/tmp", "@DIR@"]:
    try:
        names = os.listdir(top)
    except OSError:
        continue
    for name in names:
        try:
            info = os.lstat(top + "/" + name)
        except OSError:
            continue
        looked += 1
        if stat.S_ISREG(info.st_mode) and info.st_mode & (stat.S_ISUID | stat.S_ISGID):
            found.append(top + "/" + name)
if found:
    won(found[:5])
else:
    held("none among %d files" % looked)
