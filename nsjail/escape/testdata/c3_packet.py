# technique: make a packet socket
# family: C3
# severity: C
# layers: seccomp, capabilities, net_namespace
# profile: python-full
call("unshare", 0x10000000 | 0x40000000)  # where a control may
attempt("socket", 17, 3, 0x0300)  # AF_PACKET, SOCK_RAW, every protocol
