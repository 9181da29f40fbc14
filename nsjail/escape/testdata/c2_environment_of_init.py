# technique: read the environment of pid 1
# family: C2
# severity: H
# layers: policy, no_proc, ids, environment
try:
    parent = next(line for line in open("/proc/self/status") if line.startswith("PPid:")).split()[1]
    text = open("/proc/%s/environ" % parent, "rb").read()
    won("%d bytes, with the secret: %s" % (len(text), b"@ENVIRON_NAME@=@ENVIRON_VALUE@" in text))
except OSError as e:
    held(errno_name(e))
