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
    won("%d bytes about the interfaces" % len(s.recv(1 << 16)))
except OSError as e:
    held(errno_name(e))
