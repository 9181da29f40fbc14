# technique: a personality without random addresses
# family: C4
# severity: M
# layers: seccomp
# profile: python-full
call("personality", 0x0040000)
r, e = call("personality", 0xFFFFFFFF)
if not e and r & 0x0040000:
    won("the personality is %x" % r)
else:
    held("personality: " + (e or "%x" % r))
