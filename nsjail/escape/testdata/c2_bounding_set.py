# technique: find a capability left in the bounding set
# family: C2
# severity: C
# layers: capabilities, seccomp
# profile: python-full
left, errors = [], set()
for capability in range(41):
    r, e = call("prctl", 23, capability, 0, 0, 0)  # PR_CAPBSET_READ
    if r == 1:
        left.append(capability)
    elif e:
        errors.add(e)
if left:
    won("%d capabilities are left" % len(left))
else:
    held("none is left; " + " ".join(errors))
