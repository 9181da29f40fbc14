# technique: fsconfig on a descriptor of another kind
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
fs, e = call("fsopen", b"tmpfs", 0)
attempt("fsconfig", 0 if e else fs, 1, b"size", b"4096", 0)  # FSCONFIG_SET_STRING
