# technique: fsmount
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
fs, e = call("fsopen", b"tmpfs", 0)
if not e:
    call("fsconfig", fs, 6, 0, 0, 0)
attempt("fsmount", 0 if e else fs, 0, 0)
