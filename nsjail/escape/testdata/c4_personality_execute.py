# technique: a personality in which what can be read can be executed
# family: C4
# severity: M
# layers: seccomp
# profile: python-full
call("personality", 0x0400000)
r, e = call("personality", 0xFFFFFFFF)
if not e and r & 0x0400000:
    won("the personality is %x" % r)
else:
    held("personality: " + (e or "%x" % r))
