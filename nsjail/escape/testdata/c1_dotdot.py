# technique: climb above the root with ..
# family: C1
# severity: C
# layers: policy, mount_namespace, landlock
try:
    won("read %s" % open("../" * 40 + "@READABLE@"[1:]).read())
except OSError as e:
    held(errno_name(e))
