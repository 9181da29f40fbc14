# technique: make a file in a directory of the root
# family: C1
# severity: H
# layers: policy, read_only_root, landlock
import os

made = 0
# The first is where a control may; a jail has none.
for place in ["@DIR@/" + os.path.basename(os.getcwd()), "/", "/usr", "/usr/lib/safe-exec", "/etc", "/dev", os.path.dirname(os.__file__)]:
    try:
        with open(place + "/made", "x") as f:
            f.write("x")
        won("%s/made is there" % place)
        break
    except OSError as e:
        last = errno_name(e)
else:
    held(last)
