# technique: make a raw IP socket
# family: C3
# severity: C
# layers: seccomp, capabilities, net_namespace
# profile: python-full
call("unshare", 0x10000000 | 0x40000000)  # where a control may
attempt("socket", 2, 3, 255)  # AF_INET, SOCK_RAW, IPPROTO_RAW
