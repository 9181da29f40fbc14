# technique: new user and mount namespace by unshare
# family: C1
# severity: C
# layers: seccomp, user_namespace_limit
# profile: python-full
attempt("unshare", 0x10000000 | 0x00020000)
