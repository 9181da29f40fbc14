# technique: make the root's mounts shared or private
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
attempt("mount", 0, b"/", 0, 0x4000 | 0x40000, 0)  # MS_REC, MS_PRIVATE
