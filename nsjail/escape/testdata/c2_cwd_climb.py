# technique: climb from the working directory, which was set before the root changed
# family: C2
# severity: C
# layers: policy, mount_namespace
try:
    won("read %s" % open("../readable").read())
except OSError as e:
    held(errno_name(e))
