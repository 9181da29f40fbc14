# technique: read the memory of pid 1 through /proc
# family: C2
# severity: C
# layers: policy, no_proc, ids
try:
    parent = next(line for line in open("/proc/self/status") if line.startswith("PPid:")).split()[1]
    place = next(line for line in open("/proc/%s/maps" % parent) if "[stack]" in line).split()[0].split("-")
    with open("/proc/%s/mem" % parent, "rb", buffering=0) as f:
        f.seek(int(place[0], 16))
        memory = f.read(int(place[1], 16) - int(place[0], 16))
    if b"@CANARY@" in memory:
        won("@CANARY@ was in its memory")
    else:
        won("read %d bytes of it" % len(memory))
except OSError as e:
    held(errno_name(e))
