# technique: new user, time, IPC and UTS namespace by unshare
# family: C1
# severity: C
# layers: seccomp, user_namespace_limit
# profile: python-full
attempt("unshare", 0x10000000 | 0x80 | 0x08000000 | 0x04000000)
