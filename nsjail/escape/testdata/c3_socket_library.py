# technique: make sockets of all kinds by the library
# family: C3
# severity: H
# layers: policy, seccomp, net_namespace
import socket

errors = set()
for family in ["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_VSOCK", "AF_ALG"]:
    for kind in [socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET]:
        try:
            socket.socket(getattr(socket, family), kind).close()
        except OSError as e:
            errors.add(e.strerror)
        else:
            break
    else:
        continue
    won(family)
    break
else:
    held("; ".join(errors))
