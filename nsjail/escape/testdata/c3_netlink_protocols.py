# technique: make a netlink socket of any protocol, nf_tables and crypto among them
# family: C3
# severity: H
# layers: seccomp
# profile: python-full
errors = set()
for protocol in [0, 12, 21, 4, 6, 9, 15, 16, 18, 20, 22]:
    r, e = call("socket", 16, 3, protocol)
    if not e:
        won("protocol %d" % protocol)
        break
    errors.add(e)
else:
    held(" ".join(errors))
