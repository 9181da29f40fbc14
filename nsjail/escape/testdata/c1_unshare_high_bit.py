# technique: new user namespace by unshare with a bit above 32 that the kernel drops
# family: C1
# severity: C
# layers: seccomp, user_namespace_limit
# profile: python-full
attempt("unshare", 0x10000000 if call('unshare', 0x110000000)[1] else 0x40000000)
