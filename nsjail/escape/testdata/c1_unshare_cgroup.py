# technique: new user and cgroup namespace by unshare
# family: C1
# severity: C
# layers: seccomp, user_namespace_limit
# profile: python-full
attempt("unshare", 0x10000000 | 0x02000000)
