package compile_test

import "testing"

// Programs that people run see no refusal at all; the rest gets an error it can
// handle. The filter is start-up's, since nobody loads a second one here.
func TestPythonUnderTheFilter(t *testing.T) {
	runRows(t, []row{
		{"hello", "python", `print("hello")`, "hello\n", nil},
		{"decimal, json and big integers", "python", `
import json, decimal, fractions
decimal.getcontext().prec = 3000
print(json.dumps({"a": str(decimal.Decimal(2).sqrt())[:10], "b": (3**20000).bit_length()}))
`, "{\"a\": \"1.41421356\", \"b\": 31700}\n", nil},
		{"memory grows, moves and shrinks", "python", `
b = bytearray()
for i in range(200): b += bytes(300000)
l = list(range(2000000)); l += l
print(len(b), len(l)); del b, l
import mmap
m = mmap.mmap(-1, 1 << 20); m.resize(1 << 22); m[0] = 1; m.close()
`, "60000000 4000000\n", nil},
		{"threads, locks with time-outs, thread pools", "python", `
import threading, concurrent.futures, queue, time
n = []
ts = [threading.Thread(target=lambda: (time.sleep(0.01), n.append(threading.get_native_id()))) for _ in range(20)]
[t.start() for t in ts]; [t.join() for t in ts]
lock = threading.Lock(); lock.acquire()
print(len(n), lock.acquire(timeout=0.01), threading.Event().wait(0.01))
with concurrent.futures.ThreadPoolExecutor() as p: print(sum(p.map(lambda x: x*x, range(100))))
`, "20 False False\n328350\n", nil},
		{"asyncio with timers, queues and threads", "python", `
import asyncio, time
async def main():
    q = asyncio.Queue()
    async def put(i): await asyncio.sleep(0.001 * i); await q.put(i)
    await asyncio.gather(*(put(i) for i in range(10)))
    try: await asyncio.wait_for(asyncio.sleep(9), 0.01)
    except TimeoutError: print("late")
    return q.qsize(), await asyncio.to_thread(lambda: time.sleep(0.01) or 7)
print(asyncio.run(main()))
`, "late\n(10, 7)\n", nil},
		{"asyncio with a signal handler", "python", `
import asyncio, signal, os
async def main():
    e = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, e.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await asyncio.wait_for(e.wait(), 5)
    print("signalled")
asyncio.run(main())
`, "signalled\n", nil},
		{"clocks and sleep", "python", `
import time, datetime, zoneinfo, os, resource
for c in ("time", "monotonic", "perf_counter", "process_time", "thread_time"): time.get_clock_info(c); getattr(time, c)()
time.sleep(0.01); os.times(); resource.getrusage(resource.RUSAGE_SELF); resource.getrlimit(resource.RLIMIT_NOFILE)
print(datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")).utcoffset(), time.strptime("1", "%d").tm_mday)
`, "2:00:00 1\n", nil},
		{"locale and platform", "python", `
import locale, os, sys
locale.setlocale(locale.LC_ALL, ""); os.uname(); os.cpu_count(); len(os.sched_getaffinity(0)); os.getuid(); os.getppid()
print(locale.getpreferredencoding(), sys.stdout.isatty(), os.access("/", os.R_OK), os.path.realpath("/usr/bin/python3.11"))
`, "utf-8 False True /usr/bin/python3.11\n", nil},
		{"work on files", "python", `
import os, shutil, tempfile, pathlib
with tempfile.TemporaryDirectory(dir=".") as d:
    os.mkdir(d + "/a"); p = pathlib.Path(d, "a", "f"); p.write_text("hello" * 1000)
    p.rename(p.with_name("g")); g = p.with_name("g"); g.chmod(0o600); os.truncate(g, 3); os.utime(g, (1, 1)); os.symlink("g", d + "/a/s"); os.link(g, d + "/a/h")
    shutil.copy2(g, d + "/c"); shutil.copytree(d + "/a", d + "/b", symlinks=True); shutil.move(d + "/c", d + "/m")
    with open(d + "/w", "w+b") as f:
        f.write(b"12345"); f.seek(1); f.truncate(4); f.flush(); os.fsync(f.fileno()); f.seek(0); print(f.read())
    print(sorted(os.listdir(d)), os.stat(g).st_mtime, os.readlink(d + "/b/s"), os.statvfs(d).f_bsize > 0)
    os.remove(d + "/m"); [list(t) for t in os.walk(d)]
with tempfile.NamedTemporaryFile(dir=".") as f, tempfile.TemporaryFile(dir=".") as g: f.write(b"x")
os.umask(0o22); os.chdir(".."); os.getcwd(); r, w = os.pipe(); os.write(w, b"x"); os.dup2(os.dup(w), 9); os.close(r)
`, "b'1234'\n['a', 'b', 'm', 'w'] 1.0 g True\n", nil},
		{"descriptors", "python", `
import os, fcntl
with open("f", "w+b") as f:
    fd = f.fileno(); os.pwrite(fd, b"abc", 1); os.fdatasync(fd); os.fchmod(fd, 0o600); os.fstatvfs(fd)
    os.dup2(fd, 20, inheritable=False); os.closerange(18, 30); fcntl.fcntl(fd, fcntl.F_GETFL)
    print(os.pread(fd, 9, 0), os.access("f", os.W_OK, effective_ids=True), os.get_inheritable(fd))
`, "b'\\x00abc' True False\n", nil},
		{"signals", "python", `
import signal, faulthandler, threading, os
got = []
for s in range(1, 31):
    if s not in (signal.SIGKILL, signal.SIGSTOP): signal.signal(s, lambda n, f: got.append(n)); signal.raise_signal(s)
signal.pthread_kill(threading.get_ident(), signal.SIGUSR1); faulthandler.enable(); os.kill(os.getpid(), 0)
print(len(got))
for f in (lambda: os.kill(os.getpid(), signal.SIGSYS), lambda: signal.raise_signal(signal.SIGSYS)):
    try: f(); print("forged")
    except PermissionError: print("refused")
`, "29\nrefused\nrefused\n", []string{"kill", "tgkill"}},
		{"select and poll", "python", `
import select, os
r, w = os.pipe(); os.write(w, b"x"); os.set_blocking(r, False); os.set_inheritable(r, True)
p = select.poll(); p.register(r); print(select.select([r], [], [], 1)[0] == [r], len(p.poll(10)), os.read(r, 5))
`, "True 1 b'x'\n", nil},
		{"processes are refused with an error", "python", `
import os, subprocess
for f in (lambda: subprocess.run(["/bin/true"]), os.fork, lambda: os.execv("/bin/true", ["true"]) if 0 else os.posix_spawn("/bin/true", ["true"], {})):
    try: f(); print("ran")
    except PermissionError: print("refused")
print(os.system("true") != 0)
`, "refused\nrefused\nrefused\nTrue\n", []string{"clone", "vfork"}},
		{"sockets are refused with an error", "python", `
import socket
for f in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK, socket.AF_VSOCK, socket.AF_ALG):
    try: socket.socket(f, socket.SOCK_STREAM); print("made")
    except PermissionError: pass
a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1))
for f in (lambda: a.send(b"x", socket.MSG_OOB), lambda: b.sendmsg([b"x"]), lambda: a.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)):
    try: f(); print("done")
    except PermissionError: print("refused")
`, "b'x'\nrefused\nrefused\nrefused\n", []string{"sendmsg", "sendto", "setsockopt", "socket"}},
		{"locks, limits and memory files are refused with an error", "python", `
import os, fcntl, resource
f = open("l", "w")
for g in (lambda: fcntl.flock(f, fcntl.LOCK_EX), lambda: fcntl.lockf(f, fcntl.LOCK_EX), lambda: os.memfd_create("x"),
          lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)), lambda: os.chown("l", 0, 0), lambda: os.setxattr("l", "user.x", b""),
          lambda: os.mkfifo("p"), lambda: os.sched_setaffinity(0, {0}), lambda: os.setpriority(os.PRIO_PROCESS, 0, 1), lambda: os.setuid(0)):
    try: g(); print("done")
    except (PermissionError, ValueError) as e: pass
`, "", []string{"chown", "fcntl", "flock", "memfd_create", "mknodat", "prlimit64", "sched_setaffinity", "setpriority", "setuid", "setxattr"}},
		{"pages that are written and executed are refused", "python", `
import mmap
for prot in (7, 5, 3):
    try: mmap.mmap(-1, 4096, prot=prot); print(prot)
    except PermissionError: pass
`, "3\n", []string{"mmap"}},
	})
}
