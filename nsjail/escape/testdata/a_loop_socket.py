# technique: an event loop's own socket is of the class of sockets
# family: A
# severity: H
# layers: policy, net_namespace, seccomp
try:
    import asyncio

    async def main():
        return type(asyncio.get_running_loop()._csock)
    sockets = asyncio.run(main())
    if sockets.__name__ == "socket":
        reached("the class of sockets")
    link = sockets(1)
    link.connect("@SOCKET@")
    won("read " + link.recv(100).decode())
except Exception as e:
    held(errno_name(e))
