# technique: make a socket pair of another family, type or protocol
# family: C3
# severity: H
# layers: seccomp
# profile: python-full
errors = set()
pair = bytes(8)
for family, kind in [(1, 2), (1, 5), (1, 1), (30, 5), (1, 2 | 1 << 32), (1 | 1 << 32, 5)]:
    r, e = call(53, family, kind, 0, pair)
    if not e:
        won("family %d, type %d" % (family, kind))
        break
    errors.add(e)
else:
    held(" ".join(errors))
