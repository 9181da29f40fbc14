# technique: drop a program on every mount, and become it
# family: C4
# severity: C
# layers: read_only_root, seccomp, noexec, landlock
import os

refusals = []
for place in [os.getcwd(), "/tmp", "/dev", "/dev/shm", "/run", "/var/tmp", "/usr/bin", "/usr/lib", "/"]:
    path = place.rstrip("/") + "/safe-exec-dropped"
    if place != os.getcwd() and os.path.isdir("@DIR@"):
        continue  # a control drops nothing outside of what was planted for it
    try:
        with open(path, "wb") as f:
            f.write(tiny_program(won_line("a program dropped in " + place)))
        os.chmod(path, 0o755)
        os.execve(path, [path], {})
    except OSError as e:
        refusals.append("%s %s" % (place, e.strerror))
held(", ".join(refusals))
