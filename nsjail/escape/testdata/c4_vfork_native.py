# technique: a child by clone with vfork's flags
# family: C4
# severity: H
# layers: seccomp
# profile: python-full
# It shares nothing but the wait (CLONE_VFORK alone), so that it has a stack of its own.
child, e = call("clone", 0x4000 | 17, 0, 0, 0, 0)
if e:
    held("clone: " + e)
elif child == 0:
    _os._exit(7)
else:
    won("child's exit status %d" % _os.waitstatus_to_exitcode(_os.waitpid(child, 0)[1]))
