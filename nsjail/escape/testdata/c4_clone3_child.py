# technique: a child by clone3, whose flags a filter cannot see
# family: C4
# severity: C
# layers: seccomp
# profile: python-full
arguments = (_ctypes.c_uint64 * 11)()
arguments[4] = 17  # SIGCHLD at its end
child, e = call("clone3", arguments, _ctypes.c_long(88))
if e:
    held("clone3: " + e)
elif child == 0:
    _os._exit(7)
else:
    won("child's exit status %d" % _os.waitstatus_to_exitcode(_os.waitpid(child, 0)[1]))
