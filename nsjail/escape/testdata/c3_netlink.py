# technique: ask the kernel for the network interfaces by netlink
# family: C3
# severity: C
# layers: seccomp, net_namespace
# profile: python-full
import socket
import struct

try:
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    s.send(struct.pack("<IHHIIB3x", 20, 18, 0x301, 1, 0, 0))  # RTM_GETLINK, dump
    answer, up, at = s.recv(1 << 16), 0, 0
    while at < len(answer):
        size, kind = struct.unpack_from("<IH", answer, at)
        up += kind == 16 and struct.unpack_from("<I", answer, at + 24)[0] & 1  # RTM_NEWLINK, IFF_UP
        at += size + 3 & ~3
    # A fresh network namespace has one interface, which is down.
    if up:
        won("%d interfaces are up" % up)
    else:
        held("no interface is up")
except OSError as e:
    held(errno_name(e))
