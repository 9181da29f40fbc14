# technique: find no_new_privs off
# family: C2
# severity: H
# layers: no_new_privs, seccomp
# profile: python-full
r, e = call("prctl", 39, 0, 0, 0, 0)  # PR_GET_NO_NEW_PRIVS
if r == 0:
    won("a set-uid program would gain")
else:
    held("prctl: %d %s" % (r, e))
