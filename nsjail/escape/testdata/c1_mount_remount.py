# technique: remount the root writable
# family: C1
# severity: C
# layers: seccomp, capabilities, locked_mounts
# profile: python-full
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
attempt("mount", 0, b"/", 0, 0x20 | 0x1000, 0)  # MS_REMOUNT, MS_BIND
