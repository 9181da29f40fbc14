# technique: start a shell by the library for it
# family: C4
# severity: H
# layers: policy, seccomp
try:
    import subprocess
    won("child's exit status %d" % subprocess.run(["/bin/sh", "-c", "exit 7"]).returncode)
except Exception as e:
    held(errno_name(e))
