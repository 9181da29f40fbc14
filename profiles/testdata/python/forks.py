"""Runs the harness as a template, and forks for it as the shim does, but without
any namespaces and filters: what is under test is what the harness makes ready. An
order is the working directory, with four descriptors: standard output and error,
the job stream, and the control socket, on which the wait status and the processor
time in microseconds are told. Arguments: the harness's directory, "template".
"""
import _imp
import _socket
import marshal
import posix
import sys

del sys.modules["_socket"]  # a bare interpreter has not loaded it
create = _imp.create_dynamic


def keep(control, payload):
    """The first process of a fork: waits for the payload."""
    _, status, used = posix.wait4(payload, 0)
    line = f"{status} {int((used.ru_utime + used.ru_stime) * 1e6)}"
    posix.write(control, line.encode())
    posix._exit(0)


def serve_forks(orders, proc):
    socket = _socket.socket(fileno=orders)
    while True:
        order, messages, *_ = socket.recvmsg(4096, _socket.CMSG_SPACE(16))
        if not order:
            posix._exit(0)
        got = memoryview(messages[0][2]).cast("i").tolist()
        if posix.fork() == 0:
            payload = posix.fork()
            if payload:
                keep(got[3], payload)
            posix.chdir(order.decode())
            socket.detach()
            for to, descriptor in zip((1, 2, 3), got):
                posix.dup2(descriptor, to)
            for descriptor in (orders, *got):
                posix.close(descriptor)
            return
        for descriptor in got:
            posix.close(descriptor)
        try:
            while posix.waitpid(-1, posix.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass


def create_dynamic(spec):
    module = create(spec)
    if spec.name != "_safe_exec":
        return module
    names = {name: getattr(module, name) for name in dir(module) if name[0] != "_"}
    return type(sys.implementation)(**{**names, "serve_forks": serve_forks})


_imp.create_dynamic = create_dynamic
if __name__ == "__main__":
    here = sys.argv[1]
    sys.argv = [f"{here}/harness.pyc", *sys.argv[2:]]
    with open(sys.argv[0], "rb") as file:
        harness = marshal.loads(file.read()[16:])
    exec(harness, {"__name__": "__main__", "__builtins__": __builtins__})
