# Put in front of probes of the profile python-full: system calls by number.
import ctypes as _ctypes
import errno as _errno
import os as _os

_libc = _ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = _ctypes.c_long

NR = dict(
    read=0, write=1, open=2, close=3, mmap=9, mprotect=10, ioctl=16, shmget=29, shmat=30, socket=41, connect=42,
    clone=56, fork=57, vfork=58, execve=59, kill=62, ptrace=101, syslog=103, setuid=105, setgid=106, setgroups=116,
    capset=126, personality=135, mknod=133, pivot_root=155, prctl=157, chroot=161, mount=165, umount2=166, swapon=167,
    reboot=169, sethostname=170, init_module=175, quotactl=179, acct=163, settimeofday=164, add_key=248,
    request_key=249, keyctl=250, inotify_init=253, splice=275, tee=276, vmsplice=278, unshare=272, msgget=68,
    semget=64, modify_ldt=154, timer_create=222, mq_open=240, kexec_load=246, set_mempolicy=238, move_pages=279,
    signalfd4=289, perf_event_open=298, fanotify_init=300, prlimit64=302, name_to_handle_at=303,
    open_by_handle_at=304, setns=308, process_vm_readv=310, process_vm_writev=311, kcmp=312, finit_module=313,
    seccomp=317, memfd_create=319, bpf=321, execveat=322, userfaultfd=323, pkey_mprotect=329, io_uring_setup=425,
    open_tree=428, move_mount=429, fsopen=430, fsconfig=431, fsmount=432, fspick=433, pidfd_open=434, clone3=435,
    pidfd_getfd=438, process_madvise=440, mount_setattr=442, landlock_create_ruleset=444, memfd_secret=447,
    cachestat=451, statmount=457, listmount=458, tgkill=234, clock_settime=227, pidfd_send_signal=424,
)

def _value(a):
    if isinstance(a, int):
        return _ctypes.c_long(a)
    if isinstance(a, bytes):
        return _ctypes.c_char_p(a)
    return a

def call(name, *args):
    """One system call: (result, errno name or '')."""
    nr = NR[name] if isinstance(name, str) else name
    _ctypes.set_errno(0)
    r = _libc.syscall(_ctypes.c_long(nr), *[_value(a) for a in args])
    if r == -1:
        e = _ctypes.get_errno()
        return r, _errno.errorcode.get(e, str(e))
    return r, ""

def attempt(name, *args):
    """Wins if the call succeeds, reports its errno if not; returns the result."""
    r, e = call(name, *args)
    if e:
        held("%s: %s" % (name, e))
    else:
        won("%s gave %d" % (name, r))
    return r

def reaches(name, own, *args):
    """Wins if the call's own code answered: with success or with the errno that only it gives."""
    r, e = call(name, *args)
    if not e or e == own:
        won("%s answered %s" % (name, e or r))
    else:
        held("%s: %s" % (name, e))
