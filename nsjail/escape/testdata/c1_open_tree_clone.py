# technique: detached copy of the mounts by open_tree
# family: C1
# severity: C
# layers: seccomp, capabilities
# profile: python-full
call("unshare", 0x10000000 | 0x00020000)  # what lets a control mount
attempt("open_tree", -100, b"/", 1 | 0x8000)  # OPEN_TREE_CLONE, AT_RECURSIVE
