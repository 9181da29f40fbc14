# technique: open the executable of pid 1 (CVE-2019-5736's way, looking only)
# family: C2
# severity: C
# layers: policy, no_proc, ids
try:
    parent = next(line for line in open("/proc/self/status") if line.startswith("PPid:")).split()[1]
    won("begins with %s" % open("/proc/%s/exe" % parent, "rb").read(4)[1:].decode())
except OSError as e:
    held(errno_name(e))
